import { draftsAmong } from "../documentKeys.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { selectsPods, namespacedTemplateLabels } from "../../kubernetes/core/endpoints.ts"
import type * as Networking from "kubernetes-types/networking/v1.js"
import type { Draft } from "../../kubernetes/meta/objects.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { WorkloadWithKind } from "../workloads.ts"
import type { Reason } from "./verdict.ts"
import type { Service } from "../../kubernetes/core/endpoints.ts"

type Documents = ReadonlyArray<ManifestDocument>
type IngressDraft = Draft & { readonly spec?: Partial<Networking.IngressSpec> }

/**
 * A missing Service is a risk of all workloads in the namespace that no Ingress reaches, since it may be meant for
 * any of them. Source: pkg/apis/networking/types.go (IngressServiceBackend).
 */
export const ingressRisksIn = ({
  documents,
  from
}: {
  readonly documents: Documents
  readonly from: Documents
}): ((workload: WorkloadWithKind) => ReadonlyArray<Reason>) => {
  const services = draftsAmong(documents, resources.services)
  const backends = backendsIn(documents)
  const brokenBefore = new Set(brokenBackends(from).map(backendKey))
  const broken = brokenBackends(documents).filter((backend) => !brokenBefore.has(backendKey(backend)))
  return ({ object }) => {
    if (broken.length === 0) return []
    const namespace = namespaceOf(object)
    const pods = namespacedTemplateLabels(object)
    const reaches = (backend: BackendReference): boolean => {
      const service = serviceOf(backend, services)
      return service !== undefined && selectsPods(service, pods)
    }
    const isReached = backends.some((backend) => backend.namespace === namespace && reaches(backend))
    return broken.flatMap((backend): ReadonlyArray<Reason> => {
      const isOfNamespace = backend.namespace === namespace
      const isRisk = backend.serviceExists
        ? isOfNamespace && reaches(backend)
        : !isReached && (isOfNamespace || reaches({ ...backend, namespace }))
      const elsewhere = isOfNamespace ? undefined : namespace
      return isRisk ? [{ rule: "ingress-without-service", text: backendText(backend, elsewhere) }] : []
    })
  }
}

interface Backend {
  readonly namespace: string
  readonly ingress: string
  readonly service: string
  readonly port: string | number | undefined
  readonly serviceExists: boolean
}

type BackendReference = Pick<Backend, "namespace" | "service">

const namespaceOf = ({ metadata: { namespace = "default" } }: Draft): string => namespace

const serviceOf = (
  { namespace, service }: BackendReference,
  services: ReadonlyArray<Service>
): Service | undefined =>
  services.find((candidate) => candidate.metadata.name === service && namespaceOf(candidate) === namespace)

const backendsIn = (documents: Documents): ReadonlyArray<Omit<Backend, "serviceExists">> =>
  documents
    .filter(({ kind }) => kind.kind === "Ingress" && kind.group === "networking.k8s.io")
    .map(({ draft }) => draft as IngressDraft)
    .flatMap((ingress) => {
      const { metadata, spec = {} } = ingress
      const paths = (spec.rules ?? []).flatMap(({ http }) => http?.paths ?? [])
      return [spec.defaultBackend, ...paths.map(({ backend }) => backend)].flatMap((backend) =>
        backend?.service === undefined
          ? []
          : [
              {
                namespace: namespaceOf(ingress),
                ingress: metadata.name ?? "",
                service: backend.service.name,
                port: backend.service.port?.name ?? backend.service.port?.number
              }
            ]
      )
    })

const brokenBackends = (documents: Documents): ReadonlyArray<Backend> => {
  const services = draftsAmong(documents, resources.services)
  const broken = backendsIn(documents).flatMap((backend): ReadonlyArray<Backend> => {
    const service = serviceOf(backend, services)
    const hasPort = (service?.spec.ports ?? []).some(({ name, port }) => [name, port].includes(backend.port))
    return service !== undefined && hasPort ? [] : [{ ...backend, serviceExists: service !== undefined }]
  })
  return [...new Map(broken.map((backend) => [backendKey(backend), backend])).values()]
}

const backendKey = (backend: Backend): string => `${backend.namespace} ${backendText(backend)}`

const backendText = (
  { namespace, ingress, service, port, serviceExists }: Backend,
  /** Another namespace that has the missing Service. */
  elsewhere?: string
): string => {
  if (serviceExists)
    return `Ingress/${ingress} asks Service/${service} for port ${port}, which it does not have`
  return elsewhere === undefined
    ? `Ingress/${ingress} sends requests to Service/${service}, which no file creates`
    : `Ingress/${ingress} in namespace ${namespace} sends requests to Service/${service} there, which only namespace ${elsewhere} has`
}
