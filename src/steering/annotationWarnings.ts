import { behaviourAnnotation } from "../behaviours/matchBehaviours.ts"
import { isFields } from "../kubernetes/meta/fields.ts"
import { kubeletStateAnnotation } from "../kubernetes/core/nodeStatus.ts"
import { nearestWord } from "../kubernetes/meta/text/nearestWord.ts"
import { quotaUsedElsewhereAnnotation } from "../kubernetes/core/quotas.ts"
import {
  abortAnnotation,
  annotationPrefix,
  completedRevisionAnnotation,
  holdAnnotation,
  promoteAnnotation,
  recordAnnotation,
  strategyAnnotation
} from "../kubernetes/steering/steeringNames.ts"
import type { DocumentPath } from "../kubernetes/meta/text/fieldPath.ts"
import type { ManifestDocument } from "../manifests/manifestDocument.ts"

interface AnnotationWarning {
  readonly path: DocumentPath
  readonly message: string
}

const deploymentAnnotations: ReadonlyArray<string> = [
  strategyAnnotation,
  promoteAnnotation,
  holdAnnotation,
  abortAnnotation
]

const knownAnnotations: ReadonlyArray<string> = [
  ...deploymentAnnotations,
  recordAnnotation,
  completedRevisionAnnotation,
  behaviourAnnotation,
  kubeletStateAnnotation,
  quotaUsedElsewhereAnnotation
]

/** Warns of annotations under `charthouse.dev/` that are misspelt or misplaced. */
export const annotationWarnings = ({
  kind: { kind },
  rawFields
}: Pick<ManifestDocument, "kind" | "rawFields">): ReadonlyArray<AnnotationWarning> =>
  [["metadata"], ["spec", "template", "metadata"]].flatMap((metadata) => {
    const path = [...metadata, "annotations"]
    const place = metadata.length > 1 ? "a Pod template" : kind === "Deployment" ? undefined : `a ${kind}`
    return Object.keys(fieldsAt(rawFields, path))
      .filter((name) => name.startsWith(annotationPrefix))
      .flatMap((name) => {
        const message = problemOf(name, kind, place)
        return message === undefined ? [] : [{ path: [...path, name], message }]
      })
  })

/** `place` is undefined for a Deployment itself. */
const problemOf = (name: string, kind: string, place: string | undefined): string | undefined => {
  if (!knownAnnotations.includes(name)) {
    const nearest = nearestWord(
      name.slice(annotationPrefix.length),
      knownAnnotations.map((known) => known.slice(annotationPrefix.length))
    )
    const hint = nearest === undefined ? "" : `; did you mean ${annotationPrefix}${nearest}?`
    return `nothing reads the annotation ${name}${hint}`
  }
  // The Deployment's controller copies annotations to its ReplicaSets.
  if (place === undefined || kind === "ReplicaSet" || !deploymentAnnotations.includes(name)) return undefined
  return kind === "Deployment"
    ? `nothing reads the annotation ${name} of ${place}: it belongs to metadata.annotations of the Deployment`
    : `nothing reads the annotation ${name} of ${place}: only Deployments are steered`
}

const fieldsAt = (fields: unknown, path: ReadonlyArray<string>): object => {
  const found = path.reduce<unknown>((value, name) => (isFields(value) ? value[name] : undefined), fields)
  return isFields(found) ? found : {}
}
