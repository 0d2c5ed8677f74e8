import { approvalGate } from "../../kubernetes/steering/steeringNames.ts"
import { boundClaimKeys, claimKeysWithVolume, claimsOfPods, claimsOfPodsExcept } from "../claimsOfPods.ts"
import { defaultSchedulerName } from "../../kubernetes/pods/podState.ts"
import { allContainersOf, draftPodSpec } from "../draftPodSpec.ts"
import { draftsAmong } from "../documentKeys.ts"
import {
  claimKeysOf,
  claimTemplatesOf,
  hasFittingVolume,
  hasStaticVolumes,
  isWithoutClass
} from "../previous/assumedVolumes.ts"
import { volumeDriverUnknowns } from "./volumeDriverUnknowns.ts"
import {
  defaultStorageClass,
  namesStorageClass,
  noProvisioner,
  standardStorageClass,
  storageClassNameOf
} from "../../kubernetes/storage/storageClasses.ts"
import { podResourceClaimsOf } from "../../kubernetes/admission/pods/validatePodResourceClaims.ts"
import { isSafeSysctl } from "../../kubernetes/admission/podSecurity/podSecurityChecks.ts"
import { nodeFileUnknowns, unpulledImageUnknowns } from "./nodeFileUnknowns.ts"
import { nodeSystemsFor, rejectionText } from "./nodeSystems.ts"
import { policyUnknowns } from "./policyUnknowns.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { unknownLabelsInTerms, unknownNodeLabels, unknownTopologyKeys } from "./nodeLabels.ts"
import { webhookUnknowns } from "./webhookUnknowns.ts"
import { isWorkload } from "../workloads.ts"
import type { PodSpecWithResources } from "../../kubernetes/pods/podResources.ts"
import type { Draft, Labels, Node, PodSpec } from "../../kubernetes/meta/objects.ts"
import type { VolumeClaimDraft } from "../previous/assumedVolumes.ts"
import type { WorkloadWithKind } from "../workloads.ts"
import type { Unknown } from "./unknownKinds.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"

export interface PlayedDocuments {
  /** Leaves out objects that are only assumed to exist. */
  readonly documents: ReadonlyArray<ManifestDocument>
  readonly from: ReadonlyArray<ManifestDocument>
  readonly nodes: ReadonlyArray<Node>
  readonly areNodesGiven: boolean
}

/** What decides about a workload's rollout and is not played. */
export const unknownsOf = (workload: WorkloadWithKind, played: PlayedDocuments): ReadonlyArray<Unknown> => {
  const spec = draftPodSpec(workload.object) ?? {}
  return [
    ...webhookUnknowns(workload, played.documents),
    ...policyUnknowns(workload, played.documents),
    ...schedulerUnknowns(spec),
    ...runtimeClassUnknowns(spec, played),
    ...storageUnknowns(workload, played),
    ...handMadeVolumeUnknowns(workload, played),
    ...volumeDriverUnknowns(workload, played),
    ...nodeFileUnknowns(spec, played),
    ...unpulledImageUnknowns(spec, played),
    ...nodeLabelUnknowns(workload, spec, played),
    ...nodeSystemUnknowns(workload, played),
    ...nodeResourceUnknowns(spec, played),
    ...deviceClaimUnknowns(spec),
    ...sysctlUnknowns(spec, played),
    ...readinessGateUnknowns(workload, spec)
  ]
}

const schedulerUnknowns = ({
  schedulerName = "",
  schedulingGates = [],
  nodeName = ""
}: Partial<PodSpec>): ReadonlyArray<Unknown> => {
  const gates = schedulingGates.map(({ name }) => name)
  return [
    ...(schedulerName === "" || schedulerName === defaultSchedulerName || nodeName !== ""
      ? []
      : [`scheduler ${schedulerName} places its Pods`]),
    ...(gates.length === 0
      ? []
      : [`a controller that is not played lets its Pods be scheduled: ${gates.join(", ")}`])
  ].map((text) => ({ kind: "Scheduler", text, keepsPending: true }))
}

/** The steering sets `approvalGate`; other gates wait for controllers that are not played. */
const readinessGateUnknowns = (
  { kind }: WorkloadWithKind,
  { readinessGates = [] }: Partial<PodSpec>
): ReadonlyArray<Unknown> => {
  const gates = readinessGates
    .map(({ conditionType }) => conditionType)
    .filter((conditionType) => conditionType !== approvalGate)
  return gates.length === 0 || kind === "Job"
    ? []
    : [
        {
          kind: "ReadinessGate",
          text: `its Pods are not ready before a controller that is not played sets their condition ${gates.join(", ")}`,
          keepsPending: true
        }
      ]
}

const runtimeClassUnknowns = (
  { runtimeClassName = "" }: Partial<PodSpec>,
  { documents }: PlayedDocuments
): ReadonlyArray<Unknown> => {
  const isKnown = documents.some(
    ({ kind, draft }) => kind.kind === "RuntimeClass" && draft.metadata.name === runtimeClassName
  )
  return runtimeClassName === "" || isKnown
    ? []
    : [
        {
          kind: "RuntimeClass",
          text: `its Pods need RuntimeClass/${runtimeClassName}, which no file creates`,
          keepsPending: false
        }
      ]
}

const storageUnknowns = (workload: WorkloadWithKind, played: PlayedDocuments): ReadonlyArray<Unknown> => {
  const { kind, object } = workload
  const classes = draftsAmong(played.documents, resources.storageClasses)
  const volumes = draftsAmong(played.documents, resources.persistentVolumes)
  const defaultClass = defaultStorageClass(classes)?.metadata.name
  const ephemeralNames = new Set(
    kind === "StatefulSet" ? [] : claimTemplatesOf(object).map(({ metadata: { name } }) => name)
  )
  return claimsWithoutVolume(object, played).flatMap((claim): ReadonlyArray<Unknown> => {
    const className = namesStorageClass(claim) ? storageClassNameOf(claim) : defaultClass
    const provisioner = classes.find((storageClass) => storageClass.metadata.name === className)?.provisioner
    if (provisioner === undefined || playedProvisioners.has(provisioner)) return []
    const claimOfClass = { ...claim, spec: { ...claim.spec, storageClassName: className ?? "" } }
    const isUncounted = !namesStorageClass(claim) || ephemeralNames.has(claim.metadata.name)
    if (isUncounted && hasFittingVolume(claimOfClass, volumes)) return []
    return [
      {
        kind: "StorageClass",
        text: `claim ${claim.metadata.name ?? ""} waits for ${provisioner}, the provisioner of StorageClass/${className}`,
        keepsPending: true
      }
    ]
  })
}

/** Claims that did not exist before, and for which the files have no volume. */
const claimsWithoutVolume = (
  object: Draft,
  { documents, from }: PlayedDocuments
): ReadonlyArray<VolumeClaimDraft> => {
  const claims = draftsAmong(documents, resources.persistentVolumeClaims)
  const withVolume = new Set([
    ...claimKeysOf(from.map(({ draft }) => draft)),
    ...boundClaimKeys(claims),
    ...claimKeysWithVolume(object, claims, draftsAmong(documents, resources.persistentVolumes))
  ])
  return claimsOfPodsExcept(withVolume, object, claims)
}

const noClassName = ""

const handMadeVolumeUnknowns = (
  { object }: WorkloadWithKind,
  played: PlayedDocuments
): ReadonlyArray<Unknown> => {
  if (hasStaticVolumes(noClassName, draftsAmong(played.documents, resources.persistentVolumes))) return []
  return claimsWithoutVolume(object, played)
    .filter(isWithoutClass)
    .map(({ metadata: { name = "" } }) => ({
      kind: "StorageClass",
      text: `claim ${name} waits for a PersistentVolume without a class, which no file creates`,
      keepsPending: true
    }))
}

const playedProvisioners: ReadonlySet<string> = new Set([standardStorageClass.provisioner, noProvisioner])

const nodeLabelUnknowns = (
  { object }: WorkloadWithKind,
  spec: Partial<PodSpec>,
  { documents, nodes, areNodesGiven }: PlayedDocuments
): ReadonlyArray<Unknown> => {
  if (areNodesGiven) return []
  const { nodeName = "" } = spec
  if (nodeName !== "" && !nodes.some(({ metadata }) => metadata.name === nodeName))
    return [
      {
        kind: "NodeLabel",
        text: `no default node is named ${nodeName}: say with --nodes FILE which are yours`,
        keepsPending: true
      }
    ]
  const missingLabels = [...unknownNodeLabels(spec, nodes), ...unknownVolumeLabels(object, documents, nodes)]
  const podLabels = documents.filter(isWorkload).map(podLabelsOf)
  const labels = [...new Set([...missingLabels, ...unknownTopologyKeys(spec, nodes, podLabels)])]
  return labels.length === 0
    ? []
    : [
        {
          kind: "NodeLabel",
          text: `the default nodes have no label ${labels.join(", ")}: say with --nodes FILE what yours have`,
          keepsPending: missingLabels.length > 0
        }
      ]
}

/** Labels that no node has, if each volume that fits a claim requires one. */
const unknownVolumeLabels = (
  object: Draft,
  documents: ReadonlyArray<ManifestDocument>,
  nodes: ReadonlyArray<Node>
): ReadonlyArray<string> => {
  const volumes = draftsAmong(documents, resources.persistentVolumes)
  return claimsOfPods(object, draftsAmong(documents, resources.persistentVolumeClaims)).flatMap((claim) => {
    const labelsByVolume = volumes
      .filter((volume) => hasFittingVolume(claim, [volume]))
      .map(({ spec }) => unknownLabelsInTerms(spec.nodeAffinity?.required?.nodeSelectorTerms ?? [], nodes))
    return labelsByVolume.every((labels) => labels.length > 0) ? labelsByVolume.flat() : []
  })
}

/** The outcome depends on the nodes that a scheduler chooses, and on how often a controller replaces rejected Pods. */
const nodeSystemUnknowns = (
  { kind, object }: WorkloadWithKind,
  { nodes, areNodesGiven }: PlayedDocuments
): ReadonlyArray<Unknown> => {
  const systems = areNodesGiven ? nodeSystemsFor(draftPodSpec(object) ?? {}, nodes) : undefined
  return systems === undefined || !systems.isOnSomeNode || kind === "DaemonSet"
    ? []
    : [
        {
          kind: "NodeLabel",
          text: `${rejectionText(systems)}: a nodeSelector kubernetes.io/os: ${systems.required} keeps them off`,
          keepsPending: true
        }
      ]
}

/** Reading the manifests has checked the drafts' types. */
const podLabelsOf = ({ draft }: ManifestDocument): Labels =>
  (draft as WorkloadWithKind["object"]).spec.template.metadata?.labels ?? {}

/** A plan binds claims of devices on any node. */
const deviceClaimUnknowns = (spec: Partial<PodSpec>): ReadonlyArray<Unknown> => {
  const claims = podResourceClaimsOf(spec).map(({ resourceClaimName, resourceClaimTemplateName = "" }) =>
    resourceClaimName === undefined
      ? `ResourceClaimTemplate/${resourceClaimTemplateName}`
      : `ResourceClaim/${resourceClaimName}`
  )
  return claims.length === 0
    ? []
    : [
        {
          kind: "NodeResource",
          text: `its Pods need the devices of ${claims.join(", ")}, which are not played`,
          keepsPending: false
        }
      ]
}

/** A kubelet refuses a Pod with another sysctl than the safe ones and its allowedUnsafeSysctls. */
const sysctlUnknowns = (spec: Partial<PodSpec>, { from }: PlayedDocuments): ReadonlyArray<Unknown> => {
  const namesBefore = new Set(from.flatMap(({ draft }) => unsafeSysctlsOf(draftPodSpec(draft) ?? {})))
  const names = unsafeSysctlsOf(spec).filter((name) => !namesBefore.has(name))
  return names.length === 0
    ? []
    : [
        {
          kind: "Sysctl",
          text: `a kubelet refuses its Pods, unless its allowedUnsafeSysctls have ${names.join(", ")}`,
          keepsPending: false
        }
      ]
}

const unsafeSysctlsOf = ({ securityContext }: Partial<PodSpec>): ReadonlyArray<string> =>
  (securityContext?.sysctls ?? []).map(({ name }) => name).filter((name) => !isSafeSysctl(name))

/** The default nodes lack resources such as `nvidia.com/gpu` and huge pages. */
const nodeResourceUnknowns = (
  spec: Partial<PodSpecWithResources>,
  { nodes, areNodesGiven }: PlayedDocuments
): ReadonlyArray<Unknown> => {
  if (areNodesGiven) return []
  const requestedNames = [spec, ...allContainersOf(spec)].flatMap(({ resources: amounts }) =>
    Object.keys({ ...amounts?.limits, ...amounts?.requests }).filter(
      (name) => name.includes("/") || name.startsWith("hugepages-")
    )
  )
  const missingResources = [...new Set(requestedNames)].filter((name) =>
    nodes.every(({ status }) => status.allocatable?.[name] === undefined)
  )
  return missingResources.length === 0
    ? []
    : [
        {
          kind: "NodeResource",
          text: `the default nodes have no ${missingResources.join(", ")}: say with --nodes FILE what yours have`,
          keepsPending: true
        }
      ]
}
