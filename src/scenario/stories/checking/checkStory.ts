import { behaviourAnnotation } from "../../../behaviours/matchBehaviours.ts"
import { isFields, type Fields } from "../../../kubernetes/meta/fields.ts"
import { invalidManifests } from "./manifestChecks.ts"
import { builtInKinds } from "../../../kubernetes/meta/kinds.ts"
import { nearestWord } from "../../../kubernetes/meta/text/nearestWord.ts"
import { stepActions, faultEntryFindings, stepFindings } from "../reading/stepFindings.ts"
import {
  behaviourNames,
  readBehaviour,
  readBehaviours,
  readStoryObjects
} from "../reading/readObjectsAndBehaviours.ts"
import { withoutInvalidParts } from "./withoutInvalidParts.ts"
import { schemaFindings } from "../../../behaviours/schemaFindings.ts"
import { storyFindings, unknownBehaviourAnnotations } from "./storyChecks.ts"
import { storyApiVersion, StoryOutline } from "../reading/storySchema.ts"
import type { Behaviour } from "../../../behaviours/behaviour.ts"
import type { Draft } from "../../../kubernetes/meta/objects.ts"
import type { DocumentPath } from "../../../kubernetes/meta/text/fieldPath.ts"
import type { SchemaFinding } from "../../../behaviours/schemaFindings.ts"
import type { ManifestDocument } from "../../../manifests/manifestDocument.ts"
import type { StoryReading, StorySource } from "../reading/readObjectsAndBehaviours.ts"
import type { ReadStoryStep } from "./storyChecks.ts"
import type { StoryStep, Story } from "../story.ts"
import type { StoryProblem } from "../storyRefused.ts"

/** `findings` have a path in the document, `problems` a line of a file. */
export interface CheckedStory {
  readonly story: Story
  readonly findings: ReadonlyArray<SchemaFinding>
  readonly problems: ReadonlyArray<StoryProblem>
}

export const checkStory = (document: unknown, source: StorySource): CheckedStory => {
  const outlineFindings = schemaFindings(StoryOutline, document)
  const fields = isFields(document) ? document : {}
  const metadata = isFields(fields["metadata"]) ? fields["metadata"] : {}
  const spec = isFields(fields["spec"]) ? fields["spec"] : {}
  const reading: StoryReading = { findings: [], problems: [], behaviours: [], kinds: builtInKinds }
  readBehaviours(spec["behaviours"], ["spec", "behaviours"], source, reading)
  const start = readStoryObjects(spec["start"], ["spec", "start"], source, reading)
  const steps = listOf(spec["steps"]).map((value, index) =>
    readStep(value, ["spec", "steps", index], source, reading)
  )
  const weather = isFields(spec["weather"]) ? spec["weather"] : {}
  reading.findings.push(
    ...listOf(spec["faults"]).flatMap((fault, index) =>
      faultEntryFindings(fault, ["spec", "faults", index], "timed")
    ),
    ...listOf(weather["faults"]).flatMap((fault, index) =>
      faultEntryFindings(fault, ["spec", "weather", "faults", index], "random")
    )
  )
  const behaviour = readDefaultBehaviour(spec["behaviour"], reading)
  const documents = [...(start ?? []), ...steps.flatMap((step) => step?.documents ?? [])]
  checkAnnotations(documents, reading)
  checkLoads(steps, reading)
  reading.problems.push(...invalidManifests(start ?? [], steps))

  const story = assembleStory(metadata["name"], { ...spec, behaviour }, reading, start ?? [], steps)
  const areStepsKnown = Array.isArray(spec["steps"]) && steps.every((step) => step?.areObjectsKnown === true)
  const fieldFindings = [...outlineFindings, ...reading.findings]
  const { nodes, invariants, faults, limit } = spec
  const storyWideFindings = storyFindings({
    story:
      withoutInvalidParts(
        { nodes, invariants, faults, weather: spec["weather"], limit },
        ["spec"],
        fieldFindings
      ) ?? {},
    isFieldValid: (field) => !fieldFindings.some(({ path }) => path[1] === field),
    start: start ?? [],
    steps,
    areObjectsKnown: start !== undefined && areStepsKnown
  })
  return { story, findings: [...fieldFindings, ...storyWideFindings], problems: reading.problems }
}

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

interface CheckedStep extends ReadStoryStep {
  readonly areObjectsKnown: boolean
}

const readStep = (
  value: unknown,
  path: DocumentPath,
  source: StorySource,
  reading: StoryReading
): CheckedStep | undefined => {
  const problems = stepFindings(value, path)
  reading.findings.push(...problems)
  const fields = isFields(value) ? value : {}
  const documents = readStoryObjects(fields["apply"], [...path, "apply"], source, reading)
  const actions = stepActions(fields)
  if (actions.length === 0) return undefined
  // The schema has accepted what remains.
  const step = (problems.length === 0
    ? fields
    : withoutInvalidParts(fields, path, problems)) as object as StoryStep
  const areObjectsKnown =
    documents !== undefined && actions.every((action) => action in step || !revisingActions.has(action))
  const flags = { areObjectsKnown, isValid: problems.length === 0 }
  if (!("apply" in step)) return { step, documents: [], ...flags }
  return { step: { ...step, apply: (documents ?? []).map(draftOf) }, documents: documents ?? [], ...flags }
}

/** If a part of such a step is invalid, the objects after the step are unknown. */
const revisingActions: ReadonlySet<string> = new Set(["apply", "patch", "setImage", "undo"])

/** Returns the object as kubectl would send it. */
const draftOf = ({ rawFields }: ManifestDocument): Draft => rawFields as object as Draft

const readDefaultBehaviour = (value: unknown, reading: StoryReading): Behaviour | string | undefined => {
  const path = ["spec", "behaviour"]
  if (value === undefined) return undefined
  if (typeof value !== "string") return readBehaviour(value, path, reading)
  const names = behaviourNames(reading)
  if (names.includes(value)) return value
  const suggestion = nearestWord(value, names)
  const hint = suggestion === undefined ? `there are ${names.join(", ")}` : `did you mean ${suggestion}?`
  reading.findings.push({
    path,
    message: `no behaviour is called ${JSON.stringify(value)}; ${hint}`,
    fieldPart: "value"
  })
  return undefined
}

const checkLoads = (steps: ReadonlyArray<CheckedStep | undefined>, reading: StoryReading): void => {
  const names = behaviourNames(reading)
  for (const [index, checkedStep] of steps.entries()) {
    if (
      checkedStep === undefined ||
      !("setLoad" in checkedStep.step) ||
      names.includes(checkedStep.step.setLoad)
    )
      continue
    const message = `no behaviour is called ${JSON.stringify(checkedStep.step.setLoad)}; there are ${names.join(", ")}`
    reading.findings.push({ path: ["spec", "steps", index, "setLoad"], message, fieldPart: "value" })
  }
}

const checkAnnotations = (documents: ReadonlyArray<ManifestDocument>, reading: StoryReading): void => {
  const unknownBehaviours = unknownBehaviourAnnotations(
    documents,
    behaviourNames(reading),
    behaviourAnnotation
  )
  for (const { document, path, message } of unknownBehaviours)
    reading.problems.push({ file: document.file, ...document.placeOf(path), message })
}

const assembleStory = (
  name: unknown,
  { start: _start, steps: _steps, behaviours: _behaviours, behaviour, ...spec }: Fields,
  { behaviours }: StoryReading,
  start: ReadonlyArray<ManifestDocument>,
  steps: ReadonlyArray<CheckedStep | undefined>
): Story =>
  ({
    name: String(name),
    ...spec,
    ...(behaviour === undefined ? {} : { behaviour }),
    ...(behaviours.length === 0 ? {} : { behaviours }),
    ...(start.length === 0 ? {} : { start: start.map(draftOf) }),
    steps: steps.flatMap((checkedStep) => checkedStep?.step ?? [])
  }) as object as Story

/** A wrong kind or apiVersion makes all other checks meaningless. */
export const findVersionProblem = (
  document: unknown
): { readonly field: string; readonly message: string } | undefined => {
  if (!isFields(document)) return { field: "", message: "is no object: a story is a map of fields" }
  const { apiVersion, kind } = document
  if (kind !== "Scenario") {
    const kindText = kind === undefined ? "has no kind" : `is of kind ${JSON.stringify(kind)}`
    return { field: "kind", message: `this ${kindText}, and a story is a Scenario` }
  }
  if (apiVersion === storyApiVersion) return undefined
  const version = typeof apiVersion === "string" ? apiVersion : ""
  return {
    field: "apiVersion",
    message: `no kind "Scenario" is registered for version ${JSON.stringify(version)}: there is ${storyApiVersion}`
  }
}
