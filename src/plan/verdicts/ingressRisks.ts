import { draftsAmong } from "../documentKeys.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { selectsPods, templatePodGroup } from "../../kubernetes/core/endpoints.ts"
import type * as Networking from "kubernetes-types/networking/v1.js"
import type { Draft } from "../../kubernetes/meta/objects.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { PlayedWorkload } from "../workloads.ts"
import type { Reason } from "./verdict.ts"
import type { Service } from "../../kubernetes/core/endpoints.ts"

type Documents = ReadonlyArray<ManifestDocument>
type IngressDraft = Draft & { readonly spec?: Partial<Networking.IngressSpec> }

/**
 * What an Ingress asks for and no Service has. An Ingress without its Service is told of the workloads that no Ingress
 * of the namespace reaches: one of them is meant. What was so before the rollout is no risk of it.
 * Source: pkg/apis/networking/types.go (IngressServiceBackend).
 */
export const ingressRisks = (
  { object }: PlayedWorkload,
  { documents, from }: { readonly documents: Documents; readonly from: Documents }
): ReadonlyArray<Reason> => {
  const { namespace = "default" } = object.metadata
  const pods = templatePodGroup(object)
  const services = servicesIn(documents, namespace)
  const before = new Set(refusedBackends(from, namespace).map(backendText))
  const named = new Set(backendsIn(documents, namespace).map(({ service }) => service))
  const isReached = services.some((it) => named.has(it.metadata.name) && selectsPods(it, pods))
  return refusedBackends(documents, namespace)
    .filter((backend) => !before.has(backendText(backend)))
    .filter(({ service }) => {
      const found = services.find(({ metadata }) => metadata.name === service)
      return found === undefined ? !isReached : selectsPods(found, pods)
    })
    .map((backend) => ({ rule: "ingress-without-service", text: backendText(backend) }))
}

interface Backend {
  readonly ingress: string
  readonly service: string
  readonly port: string | number | undefined
  /** Whether there is a Service of this name. */
  readonly isThere: boolean
}

const servicesIn = (documents: Documents, namespace: string): ReadonlyArray<Service> =>
  draftsAmong(documents, resources.services).filter(
    (it) => (it.metadata.namespace ?? "default") === namespace
  )

const backendsIn = (documents: Documents, namespace: string): ReadonlyArray<Omit<Backend, "isThere">> =>
  documents
    .filter(({ kind }) => kind.kind === "Ingress" && kind.group === "networking.k8s.io")
    .map(({ draft }) => draft as IngressDraft)
    .filter(({ metadata }) => (metadata.namespace ?? "default") === namespace)
    .flatMap(({ metadata, spec = {} }) => {
      const paths = (spec.rules ?? []).flatMap(({ http }) => http?.paths ?? [])
      return [spec.defaultBackend, ...paths.map(({ backend }) => backend)].flatMap((backend) =>
        backend?.service === undefined
          ? []
          : [
              {
                ingress: metadata.name ?? "",
                service: backend.service.name,
                port: backend.service.port?.name ?? backend.service.port?.number
              }
            ]
      )
    })

const refusedBackends = (documents: Documents, namespace: string): ReadonlyArray<Backend> => {
  const services = servicesIn(documents, namespace)
  const refused = backendsIn(documents, namespace).flatMap((backend): ReadonlyArray<Backend> => {
    const service = services.find(({ metadata }) => metadata.name === backend.service)
    const hasPort = (service?.spec.ports ?? []).some(({ name, port }) => [name, port].includes(backend.port))
    return service !== undefined && hasPort ? [] : [{ ...backend, isThere: service !== undefined }]
  })
  return [...new Map(refused.map((it) => [backendText(it), it])).values()]
}

const backendText = ({ ingress, service, port, isThere }: Backend): string =>
  isThere
    ? `Ingress/${ingress} asks Service/${service} for port ${port}, which it does not have`
    : `Ingress/${ingress} sends requests to Service/${service}, which no file creates`
