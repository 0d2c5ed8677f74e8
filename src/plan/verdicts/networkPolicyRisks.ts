import { draftsAmong } from "../documentKeys.ts"
import {
  endpointPorts,
  namespacedTemplateLabels,
  podPortNumber,
  selectsPods
} from "../../kubernetes/core/endpoints.ts"
import { matchesSelector } from "../../kubernetes/meta/selectors/labelSelectors.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type * as Networking from "kubernetes-types/networking/v1.js"
import type { Draft, PodSpec } from "../../kubernetes/meta/objects.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { Reason } from "./verdict.ts"
import type { WorkloadWithKind } from "../workloads.ts"

type Documents = ReadonlyArray<ManifestDocument>
type PolicyDraft = Draft & { readonly spec?: Partial<Networking.NetworkPolicySpec> }

interface TargetPort {
  readonly port: number
  readonly protocol: string
}

/**
 * Where requests come from is not known: a rule for some peers counts as one for all.
 * Source: api/networking/v1/types.go (NetworkPolicySpec).
 */
export const networkPolicyRisks = (
  { object }: WorkloadWithKind,
  { documents, from }: { readonly documents: Documents; readonly from: Documents }
): ReadonlyArray<Reason> => {
  const before = new Set(blockedTexts(object, from))
  return blockedTexts(object, documents)
    .filter((text) => !before.has(text))
    .map((text) => ({ rule: "service-without-pods", text }))
}

const blockedTexts = (object: WorkloadWithKind["object"], documents: Documents): ReadonlyArray<string> => {
  const pods = namespacedTemplateLabels(object)
  const policies = policiesIn(documents).filter(
    ({ metadata, spec = {} }) =>
      (metadata.namespace ?? "default") === (pods.namespace ?? "default") &&
      (spec.policyTypes ?? ["Ingress"]).includes("Ingress") &&
      matchesSelector(spec.podSelector ?? {}, pods.labels)
  )
  if (policies.length === 0) return []
  const spec = object.spec.template.spec ?? { containers: [] }
  const titles = policies.map(({ metadata }) => `NetworkPolicy/${metadata.name}`).join(" and ")
  const verb = policies.length === 1 ? "keeps" : "keep"
  return draftsAmong(documents, resources.services)
    .filter((service) => selectsPods(service, pods))
    .flatMap((service) => {
      const targets = endpointPorts(service, { spec }).flatMap(({ port, protocol = "TCP" }) =>
        port === undefined ? [] : [{ port, protocol }]
      )
      const blocked = targets.filter((target) => !policies.some((policy) => allows(policy, target, spec)))
      const ports = blocked.map(({ port }) => port).join(", ")
      return blocked.length === 0
        ? []
        : [
            `${titles} ${verb} all requests from port ${ports} of its Pods, which Service/${service.metadata.name} sends to`
          ]
    })
}

const policiesIn = (documents: Documents): ReadonlyArray<PolicyDraft> =>
  documents
    .filter(({ kind }) => kind.kind === "NetworkPolicy" && kind.group === "networking.k8s.io")
    .map(({ draft }) => draft as PolicyDraft)

const allows = ({ spec = {} }: PolicyDraft, target: TargetPort, podSpec: PodSpec): boolean =>
  (spec.ingress ?? []).some(
    ({ ports = [] }) => ports.length === 0 || ports.some((port) => isPort(port, target, podSpec))
  )

/** A rule names the port of the Pod, never that of the Service. */
const isPort = (
  { port, endPort = 0, protocol = "TCP" }: Networking.NetworkPolicyPort,
  target: TargetPort,
  spec: PodSpec
): boolean => {
  if (protocol !== target.protocol) return false
  if (port === undefined) return true
  const first = podPortNumber({ spec }, port, protocol)
  return first !== undefined && target.port >= first && target.port <= Math.max(first, endPort)
}
