import { groupResourceOf, resources } from "../../../kubernetes/meta/kinds.ts"
import { toObjectKey } from "../../../kubernetes/meta/objects.ts"
import { parseObjectName } from "../../conditions/objectName.ts"
import { writeTarget } from "./writeChecks.ts"
import { findInvalidField } from "../../../manifests/manifestProblems.ts"
import type { ManifestDocument } from "../../../manifests/manifestDocument.ts"
import type { ValidStep } from "./storyChecks.ts"
import type { StoryStep } from "../story.ts"
import type { StoryProblem } from "../storyRefused.ts"

/** Problems of manifests that every API server would refuse, unless their step has `expectRefused`. */
export const invalidManifests = (
  start: ReadonlyArray<ManifestDocument>,
  steps: ReadonlyArray<ValidStep | undefined>
): ReadonlyArray<StoryProblem> => {
  const patchedObjects = new Set(
    steps.flatMap((validStep) => (validStep === undefined ? [] : patchTargets(validStep.step)))
  )
  const applied = steps.flatMap((validStep) =>
    validStep?.isValid !== true ||
    ("expectRefused" in validStep.step && validStep.step.expectRefused !== undefined)
      ? []
      : validStep.documents.filter((document) => !mayBePartial(document, patchedObjects))
  )
  // A file that is applied twice is reported once.
  const problemsByPosition = new Map<string, StoryProblem>()
  for (const document of [...start, ...applied]) {
    const problem = findInvalidField(document)
    if (problem === undefined) continue
    const { file, line, column, message } = problem
    problemsByPosition.set(`${file}:${line}:${column} ${message}`, { file, line, column, message })
  }
  return [...problemsByPosition.values()]
}

/**
 * Whether the manifest may lack required fields: it may change some fields of an object that a controller creates, or
 * that a step patches.
 */
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

/** Resource and key of the object that a `patch` step changes: `deployments.apps default/web`. */
const patchTargets = (step: StoryStep): ReadonlyArray<string> => {
  const target = "patch" in step ? writeTarget(step) : undefined
  const object = target === undefined ? undefined : parseObjectName(target.name)
  return object === undefined || "message" in object ? [] : [`${object.resource} ${object.key}`]
}
