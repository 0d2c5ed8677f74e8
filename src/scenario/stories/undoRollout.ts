import { isSameTemplate } from "../../domain/podTemplates.ts"
import { revisionOf } from "../../domain/revisions.ts"
import { resources } from "../../domain/kinds.ts"
import { withTemplateOf } from "../../domain/rollback.ts"
import type { Deployment, ReplicaSet } from "../../domain/objects.ts"
import type { ClusterView } from "../../store/objectStore.ts"

/**
 * The Deployment with the template of an earlier revision, as `kubectl rollout undo` writes it: the one that is named,
 * or the one before the present one. Where that is the present one, it stays as it is.
 *
 * Source: staging/src/k8s.io/kubectl/pkg/polymorphichelpers/rollback.go (DeploymentRollbacker).
 */
export const undoRollout = (
  deployment: Deployment,
  view: ClusterView["Service"],
  toRevision: number | undefined
): { readonly next: Deployment } | { readonly why: string } => {
  const { name, uid } = deployment.metadata
  if (deployment.spec.paused === true) return { why: pausedMessage(name) }
  const replicaSets = [...view.controlled(resources.replicaSets, uid)].sort(byRevision)
  if (toRevision !== undefined) {
    const wanted = replicaSets.find((it) => revisionOf(it) === BigInt(toRevision))
    return wanted === undefined
      ? { why: `error: unable to find specified revision ${toRevision} in history` }
      : goneBack(deployment, wanted)
  }
  const [, previous] = replicaSets
  return previous === undefined
    ? { why: `error: no rollout history found for deployment ${JSON.stringify(name)}` }
    : goneBack(deployment, previous)
}

const pausedMessage = (name: string): string =>
  "error: you cannot rollback a paused deployment; " +
  `resume it first with 'kubectl rollout resume deployment/${name}' and try again`

const goneBack = (deployment: Deployment, to: ReplicaSet): { readonly next: Deployment } => ({
  next: isSameTemplate(to.spec.template, deployment.spec.template)
    ? deployment
    : withTemplateOf(deployment, to)
})

/** The newest revision first. */
const byRevision = (a: ReplicaSet, b: ReplicaSet): number => {
  const [left, right] = [revisionOf(a) ?? 0n, revisionOf(b) ?? 0n]
  return left === right ? 0 : left > right ? -1 : 1
}
