import { groupResourceOf, resources } from "../../../kubernetes/meta/kinds.ts"
import { toObjectKey } from "../../../kubernetes/meta/objects.ts"
import { parseObjectName } from "../../conditions/objectName.ts"
import { writeTarget } from "./writeChecks.ts"
import { findCreateProblem } from "../../../manifests/manifestProblems.ts"
import type { ManifestDocument } from "../../../manifests/manifestDocument.ts"
import type { ReadStoryStep } from "./storyChecks.ts"
import type { StoryStep } from "../story.ts"
import type { StoryProblem } from "../storyRefused.ts"

export const invalidManifests = (
  start: ReadonlyArray<ManifestDocument>,
  steps: ReadonlyArray<ReadStoryStep | undefined>
): ReadonlyArray<StoryProblem> => {
  const patchedObjects = new Set(
    steps.flatMap((storyStep) => (storyStep === undefined ? [] : patchTargets(storyStep.step)))
  )
  const appliedManifests = steps.flatMap((storyStep) =>
    storyStep?.isValid !== true ||
    ("expectRefused" in storyStep.step && storyStep.step.expectRefused !== undefined)
      ? []
      : storyStep.documents.filter((document) => !mayBePartial(document, patchedObjects))
  )
  const problemsByPosition = new Map<string, StoryProblem>()
  for (const document of [...start, ...appliedManifests]) {
    const problem = findCreateProblem(document)
    if (problem === undefined) continue
    const { file, line, column, message } = problem
    problemsByPosition.set(`${file}:${line}:${column} ${message}`, { file, line, column, message })
  }
  return [...problemsByPosition.values()]
}

/** A manifest may hold a part of an object that a controller creates or that a step patches. */
const mayBePartial = ({ kind, draft }: ManifestDocument, patchedObjects: ReadonlySet<string>): boolean => {
  const resource = groupResourceOf(kind)
  const { namespace, name = "" } = draft.metadata
  const key = toObjectKey(kind.namespaced ? namespace : undefined, name)
  return (
    resource === resources.pods ||
    resource === resources.replicaSets ||
    patchedObjects.has(`${resource} ${key}`)
  )
}

/** Texts such as `deployments.apps default/web`. */
const patchTargets = (step: StoryStep): ReadonlyArray<string> => {
  const target = "patch" in step ? writeTarget(step) : undefined
  const object = target === undefined ? undefined : parseObjectName(target.name)
  return object === undefined || "message" in object ? [] : [`${object.resource} ${object.key}`]
}
