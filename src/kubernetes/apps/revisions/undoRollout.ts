import { isSameTemplate } from "./podTemplates.ts"
import { newestRevisionFirst, revisionOf } from "./revisions.ts"
import { withTemplateOf } from "./rollback.ts"
import type { Deployment, ReplicaSet } from "../../meta/objects.ts"

/**
 * `kubectl rollout undo`, by default to the revision before the present one. The refusal is kubectl's
 * error message. Source: polymorphichelpers/rollback.go (DeploymentRollbacker).
 */
export const undoRollout = (
  deployment: Deployment,
  replicaSets: Iterable<ReplicaSet>,
  toRevision?: number
): { readonly updatedObject: Deployment } | { readonly refusal: string } => {
  const { name } = deployment.metadata
  if (deployment.spec.paused === true) return { refusal: pausedMessage(name) }
  const newestFirst = [...replicaSets].sort(newestRevisionFirst)
  if (toRevision !== undefined) {
    const target = newestFirst.find((it) => revisionOf(it) === BigInt(toRevision))
    return target === undefined
      ? { refusal: `error: unable to find specified revision ${toRevision} in history` }
      : rollBackTo(deployment, target)
  }
  const [, previous] = newestFirst
  return previous === undefined
    ? { refusal: `error: no rollout history found for deployment ${JSON.stringify(name)}` }
    : rollBackTo(deployment, previous)
}

const pausedMessage = (name: string): string =>
  "error: you cannot rollback a paused deployment; " +
  `resume it first with 'kubectl rollout resume deployment/${name}' and try again`

const rollBackTo = (deployment: Deployment, to: ReplicaSet): { readonly updatedObject: Deployment } => ({
  updatedObject: isSameTemplate(to.spec.template, deployment.spec.template)
    ? deployment
    : withTemplateOf(deployment, to)
})

/**
 * The JSON patch that kubectl sends. Source: polymorphichelpers/rollback.go
 * (getDeploymentPatch).
 */
export const undoPatch = ({ metadata, spec }: Deployment) => [
  { op: "replace", path: "/spec/template", value: spec.template },
  { op: "add", path: "/metadata/annotations", value: metadata.annotations ?? {} }
]
