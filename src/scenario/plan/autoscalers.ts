import { groupResourceOf, resources, servedKindOf } from "../../domain/kinds.ts"
import { keyIn } from "../../domain/objects.ts"
import { lastAppliedOf } from "../../manifests/lastApplied.ts"
import { shownName } from "../../domain/shownName.ts"
import type * as Autoscaling from "kubernetes-types/autoscaling/v2.js"
import type { Draft, Key } from "../../domain/objects.ts"
import type { GroupResource } from "../../domain/kinds.ts"

/** As every cluster serves them, whatever a manifest calls its version. */
export const autoscalers: GroupResource = "horizontalpodautoscalers.autoscaling"

/** Of either version: they differ in the metrics alone. */
type Autoscaler = Draft & { readonly spec?: Partial<Autoscaling.HorizontalPodAutoscalerSpec> }

type Sized = Draft & { readonly spec?: { readonly replicas?: number } }

/** What runs before and what is rolled out. */
interface Sides {
  readonly before: ReadonlyArray<Draft>
  readonly next: ReadonlyArray<Draft>
  /** Whether what runs before is as it is, and not as it was applied: its size is what the autoscaler has come to. */
  readonly isLive: boolean
}

/**
 * A sentence for each HorizontalPodAutoscaler of a Deployment that is rolled out: which sizes it may have, and what
 * `kubectl apply` makes of the one that it has.
 *
 * Source: staging/src/k8s.io/api/autoscaling/v2/types.go (HorizontalPodAutoscalerSpec),
 * pkg/controller/podautoscaler/horizontal.go (reconcileAutoscaler); what applying does is the three-way merge.
 */
export const autoscalerWarnings = ({ before, next, isLive }: Sides): ReadonlyArray<string> => {
  const known = autoscalersIn([...before, ...next])
  const was = new Map(before.filter(isDeployment).map((draft) => [keyOf(draft), draft]))
  return next.filter(isDeployment).flatMap((deployment) => {
    const there = was.get(keyOf(deployment))
    const sizes: Sizes = {
      isNew: there === undefined,
      live: isLive ? there?.spec?.replicas : undefined,
      applied: (isLive && there !== undefined ? lastApplied(there) : there)?.spec?.replicas,
      next: deployment.spec?.replicas
    }
    const name = shownName({ ...deployment.metadata, name: deployment.metadata.name ?? "" })
    return known
      .filter((autoscaler) => isTarget(deployment, autoscaler))
      .map(({ metadata, spec }) => {
        const { minReplicas = 1, maxReplicas } = spec ?? {}
        return (
          `HorizontalPodAutoscaler/${metadata.name ?? ""} gives Deployment/${name} ${minReplicas} to ` +
          `${maxReplicas} replicas and is not played here: the rollout may have any of these sizes. ` +
          applying(sizes, editLastApplied(deployment))
        )
      })
  })
}

interface Sizes {
  readonly isNew: boolean
  /** How many it is asked to have, where that is known. */
  readonly live: number | undefined
  /** What the manifest said that was applied last, and what the next one says. */
  readonly applied: number | undefined
  readonly next: number | undefined
}

/** What becomes of the size, and what to do about it. */
const applying = ({ isNew, live, applied, next }: Sizes, edit: string): string => {
  if (next === 0)
    return "At spec.replicas: 0 it does nothing, and no Pod is left. Leave it out of the manifest"
  if (next !== undefined) {
    const out = applied === undefined ? "Leave it out of the manifest" : `${edit}, then out of the manifest`
    const has = live === undefined || live === next ? "whatever it comes to" : `the ${live} of now`
    return `${isNew ? "The next kubectl" : "kubectl"} apply sets ${has} back to spec.replicas: ${next}. ${out}`
  }
  if (applied !== undefined) {
    const from = live === undefined ? "" : `from ${live} `
    return (
      `The manifest has no spec.replicas, and the one that was applied last had ${applied}: kubectl apply takes the ` +
      `field away, and the Deployment goes ${from}to 1, the default. ${edit}`
    )
  }
  return live === undefined
    ? `No manifest says spec.replicas, and this is the plan of 1, the default. To plan for as many as run, say so in ` +
        (isNew ? "a copy of -f" : "copies of --from and -f")
    : `No manifest says spec.replicas: kubectl apply leaves the ${live} that there are, and this is the plan of those`
}

const editLastApplied = ({ metadata: { name = "", namespace = "default" } }: Draft): string => {
  const where = namespace === "default" ? "" : ` -n ${namespace}`
  return `First take it out of what was applied last (kubectl apply edit-last-applied deployment/${name}${where})`
}

const isOf = (draft: Draft, resource: GroupResource): boolean => {
  const kind = servedKindOf(draft)
  return kind !== undefined && groupResourceOf(kind) === resource
}

const isDeployment = (draft: Draft): draft is Sized => isOf(draft, resources.deployments)

const isAutoscaler = (draft: Draft): draft is Autoscaler => isOf(draft, autoscalers)

/** Each as it is said of it last. */
const autoscalersIn = (drafts: ReadonlyArray<Draft>): ReadonlyArray<Autoscaler> => [
  ...new Map(drafts.filter(isAutoscaler).map((draft) => [keyOf(draft), draft])).values()
]

const keyOf = ({ metadata: { namespace, name = "" } }: Draft): Key => keyIn(namespace, name)

const isTarget = (deployment: Draft, { metadata, spec }: Autoscaler): boolean => {
  const { apiVersion = "", kind, name } = spec?.scaleTargetRef ?? {}
  return (
    metadata.namespace === deployment.metadata.namespace &&
    kind === "Deployment" &&
    name === deployment.metadata.name &&
    apiVersion.startsWith("apps/")
  )
}

const lastApplied = (deployment: Draft): Sized | undefined => {
  const applied = lastAppliedOf({ ...deployment })
  // What was applied to it is one as well.
  return applied.ok ? (applied.original as Sized | undefined) : undefined
}
