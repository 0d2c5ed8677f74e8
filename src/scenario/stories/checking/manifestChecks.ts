import { groupResourceOf, resources } from "../../../kubernetes/meta/kinds.ts"
import { toObjectKey } from "../../../kubernetes/meta/objects.ts"
import { parseObjectName } from "../../conditions/objectName.ts"
import { writeTarget } from "./writeChecks.ts"
import { findInvalidField } from "../../../manifests/manifestProblems.ts"
import type { ManifestDocument } from "../../../manifests/manifestDocument.ts"
import type { ValidStep } from "./storyChecks.ts"
import type { StoryStep } from "../story.ts"
import type { StoryProblem } from "../storyRefused.ts"

/** Manifests that every server would refuse, except those of steps with `expectRefused`. */
export const invalidManifests = (
  start: ReadonlyArray<ManifestDocument>,
  steps: ReadonlyArray<ValidStep | undefined>
): ReadonlyArray<StoryProblem> => {
  const patched = new Set(
    steps.flatMap((validStep) => (validStep === undefined ? [] : patchTargets(validStep.step)))
  )
  const applied = steps.flatMap((validStep) =>
    validStep?.isSound !== true ||
    ("expectRefused" in validStep.step && validStep.step.expectRefused !== undefined)
      ? []
      : validStep.documents.filter((document) => !mayBePartial(document, patched))
  )
  // A file that is applied twice is reported once.
  const problemsByPlace = new Map<string, StoryProblem>()
  for (const document of [...start, ...applied]) {
    const problem = findInvalidField(document)
    if (problem === undefined) continue
    const { file, line, column, message } = problem
    problemsByPlace.set(`${file}:${line}:${column} ${message}`, { file, line, column, message })
  }
  return [...problemsByPlace.values()]
}

/** Manifests for objects that other steps or controllers create may be partial. */
const mayBePartial = ({ kind, draft }: ManifestDocument, patched: ReadonlySet<string>): boolean => {
  const resource = groupResourceOf(kind)
  const { namespace, name = "" } = draft.metadata
  const key = toObjectKey(kind.namespaced ? namespace : undefined, name)
  return (
    resource === resources.pods || resource === resources.replicaSets || patched.has(`${resource} ${key}`)
  )
}

const patchTargets = (step: StoryStep): ReadonlyArray<string> => {
  const target = "patch" in step ? writeTarget(step) : undefined
  const object = target === undefined ? undefined : parseObjectName(target.name)
  return object === undefined || "message" in object ? [] : [`${object.resource} ${object.key}`]
}
