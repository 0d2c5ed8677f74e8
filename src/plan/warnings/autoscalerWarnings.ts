import { namespaceOption } from "../../kubernetes/meta/text/kubectlTarget.ts"
import { groupResourceOf, resources, servedKindOfObject } from "../../kubernetes/meta/kinds.ts"
import { toObjectKey } from "../../kubernetes/meta/objects.ts"
import { readLastApplied } from "../../manifests/lastApplied.ts"
import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import type { AutoscalerDraft } from "../autoscalers.ts"
import type { Draft, Key } from "../../kubernetes/meta/objects.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"

type ScalableDraft = Draft & { readonly spec?: { readonly replicas?: number } }

interface AutoscalerInput {
  readonly before: ReadonlyArray<Draft>
  readonly next: ReadonlyArray<Draft>
  /** The sizes of a live cluster are those that the autoscalers have set. */
  readonly isLive: boolean
}

/**
 * Source: api/autoscaling/v2/types.go (HorizontalPodAutoscalerSpec),
 * pkg/controller/podautoscaler/horizontal.go (reconcileAutoscaler).
 */
export const autoscalerWarnings = ({ before, next, isLive }: AutoscalerInput): ReadonlyArray<string> => {
  const autoscalerDrafts = autoscalersIn([...before, ...next])
  const deploymentsBefore = new Map(before.filter(isDeployment).map((draft) => [keyOf(draft), draft]))
  return next.filter(isDeployment).flatMap((deployment) => {
    const deploymentBefore = deploymentsBefore.get(keyOf(deployment))
    const sizes: KnownReplicas = {
      isNew: deploymentBefore === undefined,
      live: isLive ? deploymentBefore?.spec?.replicas : undefined,
      applied: (isLive && deploymentBefore !== undefined ? lastApplied(deploymentBefore) : deploymentBefore)
        ?.spec?.replicas,
      next: deployment.spec?.replicas
    }
    const name = displayName({ ...deployment.metadata, name: deployment.metadata.name ?? "" })
    return autoscalerDrafts
      .filter((autoscaler) => isTarget(deployment, autoscaler))
      .map(({ metadata, spec }) => {
        const { minReplicas = 1, maxReplicas } = spec ?? {}
        return (
          `HorizontalPodAutoscaler/${metadata.name ?? ""} gives Deployment/${name} ${minReplicas} to ` +
          `${maxReplicas} replicas: the rollout may have any of these sizes. ` +
          applyEffectText(sizes, editLastAppliedText(deployment))
        )
      })
  })
}

/** The `spec.replicas` of a Deployment, as far as it is known. */
interface KnownReplicas {
  readonly isNew: boolean
  readonly live: number | undefined
  /** The number in the manifest that was applied last. */
  readonly applied: number | undefined
  readonly next: number | undefined
}

const applyEffectText = ({ isNew, live, applied, next }: KnownReplicas, editText: string): string => {
  if (next === 0)
    return "At spec.replicas: 0 it does nothing, and no Pod is left. Leave it out of the manifest"
  if (next !== undefined) {
    const removalText =
      applied === undefined ? "Leave it out of the manifest" : `${editText}, then out of the manifest`
    const currentText =
      live === undefined || live === next ? "whatever size it then has" : `the current ${live}`
    return `${isNew ? "The next kubectl" : "kubectl"} apply sets ${currentText} back to spec.replicas: ${next}. ${removalText}`
  }
  if (applied !== undefined) {
    const fromText = live === undefined ? "" : `from ${live} `
    return (
      `The manifest has no spec.replicas, and the one that was applied last had ${applied}: kubectl apply takes the ` +
      `field away, and the Deployment goes ${fromText}to 1, the default. ${editText}`
    )
  }
  return live === undefined
    ? `No manifest says spec.replicas, and this is the plan of 1, the default. To plan for as many as run, say so in ` +
        (isNew ? "a copy of -f" : "copies of --from and -f")
    : `No manifest says spec.replicas: kubectl apply leaves the ${live} that there are, and this is the plan of those`
}

const editLastAppliedText = ({ metadata }: Draft): string =>
  `First take it out of what was applied last (kubectl apply edit-last-applied deployment/${metadata.name ?? ""}${namespaceOption(metadata)})`

const isOfKind = (draft: Draft, resource: GroupResource): boolean => {
  const kind = servedKindOfObject(draft)
  return kind !== undefined && groupResourceOf(kind) === resource
}

const isDeployment = (draft: Draft): draft is ScalableDraft => isOfKind(draft, resources.deployments)

const isAutoscaler = (draft: Draft): draft is AutoscalerDraft => isOfKind(draft, resources.autoscalers)

const autoscalersIn = (drafts: ReadonlyArray<Draft>): ReadonlyArray<AutoscalerDraft> => [
  ...new Map(drafts.filter(isAutoscaler).map((draft) => [keyOf(draft), draft])).values()
]

const keyOf = ({ metadata: { namespace, name = "" } }: Draft): Key => toObjectKey(namespace, name)

const isTarget = (deployment: Draft, { metadata, spec }: AutoscalerDraft): boolean => {
  const { apiVersion = "", kind, name } = spec?.scaleTargetRef ?? {}
  return (
    metadata.namespace === deployment.metadata.namespace &&
    kind === "Deployment" &&
    name === deployment.metadata.name &&
    apiVersion.startsWith("apps/")
  )
}

const lastApplied = (deployment: Draft): ScalableDraft | undefined => {
  const result = readLastApplied({ ...deployment })
  return result.ok ? (result.original as ScalableDraft | undefined) : undefined
}
