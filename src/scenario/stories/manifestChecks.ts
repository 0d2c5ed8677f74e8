import { groupResourceOf, resources } from "../../domain/kinds.ts"
import { keyIn } from "../../domain/objects.ts"
import { objectNamed } from "../conditions/objectName.ts"
import { targetOf } from "./writeChecks.ts"
import { whyInvalid } from "../../manifests/refusals.ts"
import type { ManifestDocument } from "../../manifests/manifest.ts"
import type { SoundStep } from "./storyChecks.ts"
import type { Step } from "./story.ts"
import type { StoryProblem } from "./storyRefused.ts"

/**
 * The manifests of a story that every server would refuse, whatever else there is in it; those of a step that is to be
 * refused are as they are.
 */
export const invalidManifests = (
  start: ReadonlyArray<ManifestDocument>,
  steps: ReadonlyArray<SoundStep | undefined>
): ReadonlyArray<StoryProblem> => {
  const patched = new Set(steps.flatMap((it) => (it === undefined ? [] : patchedBy(it.step))))
  const applied = steps.flatMap((it) =>
    it?.isSound !== true || ("expectRefused" in it.step && it.step.expectRefused !== undefined)
      ? []
      : it.documents.filter((document) => !mayBePart(document, patched))
  )
  // The same file may be applied more than once.
  const told = new Map<string, StoryProblem>()
  for (const document of [...start, ...applied]) {
    const problem = whyInvalid(document)
    if (problem === undefined) continue
    const { file, line, column, message } = problem
    told.set(`${file}:${line}:${column} ${message}`, { file, line, column, message })
  }
  return [...told.values()]
}

/** What is applied to an object that somebody else has made, or made more of, need not have all of it. */
const mayBePart = ({ kind, draft }: ManifestDocument, patched: ReadonlySet<string>): boolean => {
  const resource = groupResourceOf(kind)
  const { namespace, name = "" } = draft.metadata
  const key = keyIn(kind.namespaced ? namespace : undefined, name)
  return (
    resource === resources.pods || resource === resources.replicaSets || patched.has(`${resource} ${key}`)
  )
}

const patchedBy = (step: Step): ReadonlyArray<string> => {
  const target = "patch" in step ? targetOf(step) : undefined
  const object = target === undefined ? undefined : objectNamed(target.name)
  return object === undefined || "message" in object ? [] : [`${object.resource} ${object.key}`]
}
