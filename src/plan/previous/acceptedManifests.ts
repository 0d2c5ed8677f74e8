import * as Effect from "effect/Effect"
import { ManifestsRefused } from "../../manifests/manifestsRefused.ts"
import { documentProblem, findCreateProblem } from "../../manifests/manifestProblems.ts"
import { isAssumedDraft } from "./assumedVolumes.ts"
import { isOfResource } from "../documentKeys.ts"
import { isWorkload } from "../workloads.ts"
import { objectsIn, requiredObjectText } from "./assumedObjects.ts"
import { objectsNamedByWorkload, requiredObjectTitle } from "../warnings/missingObjects.ts"
import { refusedDocument } from "../../manifests/refusedObjects.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { restoreDocuments } from "./previousDocuments.ts"
import { tryToApply } from "../../manifests/applyManifests.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { ObjectStore } from "../../store/objectStore.ts"
import type { PlayedManifests } from "./playedManifests.ts"
import type { RefusedObject } from "../../manifests/refusedObjects.ts"
import type { RequiredObject } from "./assumedObjects.ts"
import type { LivePods } from "./previousDocuments.ts"

interface AcceptedManifests {
  readonly next: ReadonlyArray<ManifestDocument>
  /** With the workloads that need one of these. */
  readonly refused: ReadonlyArray<RefusedObject>
}

/**
 * What `kubectl apply` applies of `next`, although it fails for other objects. Fails if no workload is left, or if
 * nothing can be said about those that are. `unreadable`: objects that are no part of `next` for the same reason.
 */
export const acceptManifests =
  (
    { from = [], next }: PlayedManifests,
    {
      livePods,
      unreadable
    }: {
      readonly livePods: LivePods | undefined
      readonly unreadable: ReadonlyArray<RefusedObject>
    }
  ) =>
  (store: ObjectStore["Service"]): Effect.Effect<AcceptedManifests, ManifestsRefused> =>
    Effect.gen(function* () {
      yield* restoreDocuments(store, from, livePods)
      const problems = yield* tryToApply(store, next)
      if (problems.size + unreadable.length === 0) return { next, refused: [] }
      const invalid = [...problems].map(([document, problem]) => refusedDocument(document, problem))
      const named = [...unreadable, ...invalid.filter((it) => it !== undefined)]
      const valid = next.filter((document) => !problems.has(document))
      const existing = new Set(
        objectsIn(from.filter(({ draft }) => !isAssumedDraft(draft))).map(requiredObjectText)
      )
      const needing = valid.flatMap((document) => needingRefused(document, named, existing))
      const accepted = valid.filter((document) => !needing.some((it) => it.document === document))
      if (named.length < unreadable.length + problems.size || !accepted.some(isWorkload))
        return yield* new ManifestsRefused({
          problems: [...unreadable.map(({ problem }) => problem), ...problems.values()]
        })
      return { next: accepted, refused: [...named, ...needing.map(({ refused }) => refused)] }
    })

/** No volume can be assumed for a claim that is refused. */
export const separateInvalidClaims = (documents: ReadonlyArray<ManifestDocument>) => {
  const refused = new Map(
    documents.filter(isOfResource(resources.persistentVolumeClaims)).flatMap((document) => {
      const problem = findCreateProblem(document)
      const object = problem === undefined ? undefined : refusedDocument(document, problem)
      return object === undefined ? [] : [[document, object] as const]
    })
  )
  return { valid: documents.filter((document) => !refused.has(document)), refused: [...refused.values()] }
}

interface NeedingWorkload {
  readonly document: ManifestDocument
  readonly refused: RefusedObject
}

/** The Pods of such a workload are not created, or do not start. */
const needingRefused = (
  document: ManifestDocument,
  refused: ReadonlyArray<RefusedObject>,
  existing: ReadonlySet<string>
): ReadonlyArray<NeedingWorkload> => {
  if (!isWorkload(document)) return []
  const needed = objectsNamedByWorkload(document.draft).find(
    (object) =>
      !existing.has(requiredObjectText(object)) &&
      refused.some((candidate) => isSameObject(candidate, object))
  )
  if (needed === undefined) return []
  const problem = documentProblem(document, `its Pods need ${requiredObjectTitle(needed)}, which is refused`)
  const refusedWorkload = refusedDocument(document, problem)
  return refusedWorkload === undefined
    ? []
    : [{ document, refused: { ...refusedWorkload, verdict: "stuck" } }]
}

const isSameObject = (refused: RefusedObject, object: RequiredObject): boolean =>
  `${refused.kind}/${refused.name}` === requiredObjectTitle(object) &&
  (object.namespace === undefined || object.namespace === refused.namespace)
