import { behaviourAnnotation } from "../../behaviours/match.ts"
import { isFields, type Fields } from "../../domain/fields.ts"
import { invalidManifests } from "./manifestChecks.ts"
import { nearest } from "../../domain/nearest.ts"
import { deedsOf, loneFaultFindings, stepFindings } from "./readSteps.ts"
import { behaviourNames, readBehaviour, readBehaviours, readObjects } from "./readParts.ts"
import { soundPart } from "./soundPart.ts"
import { schemaFindings } from "../../behaviours/findings.ts"
import { storyFindings, unknownChoices } from "./storyChecks.ts"
import { storyApiVersion, StoryOutline } from "./storySchema.ts"
import type { Behaviour } from "../../behaviours/behaviour.ts"
import type { Draft } from "../../domain/objects.ts"
import type { FieldPath } from "../../domain/admission/decodeFields.ts"
import type { Finding } from "../../behaviours/findings.ts"
import type { ManifestDocument } from "../../manifests/manifest.ts"
import type { Parts, Source } from "./readParts.ts"
import type { SoundStep } from "./storyChecks.ts"
import type { Step, Story } from "./story.ts"
import type { StoryProblem } from "./storyRefused.ts"

/** A story, with everything that is wrong with it: it is fit to be played where nothing is. */
export interface Judged {
  readonly story: Story
  readonly findings: ReadonlyArray<Finding>
  /** In other files than the story's own. */
  readonly problems: ReadonlyArray<StoryProblem>
}

/** Reads a document of kind Scenario whose files have been read. */
export const judgeStory = (document: unknown, source: Source): Judged => {
  const outline = schemaFindings(StoryOutline, document, [])
  const fields = isFields(document) ? document : {}
  const metadata = isFields(fields["metadata"]) ? fields["metadata"] : {}
  const spec = isFields(fields["spec"]) ? fields["spec"] : {}
  const parts: Parts = { findings: [], problems: [], behaviours: [] }
  readBehaviours(spec["behaviours"], ["spec", "behaviours"], source, parts)
  const start = readObjects(spec["start"], ["spec", "start"], source, parts)
  const steps = listOf(spec["steps"]).map((value, index) =>
    readStep(value, ["spec", "steps", index], source, parts)
  )
  const weather = isFields(spec["weather"]) ? spec["weather"] : {}
  parts.findings.push(
    ...listOf(spec["faults"]).flatMap((fault, index) =>
      loneFaultFindings(fault, ["spec", "faults", index], "timed")
    ),
    ...listOf(weather["faults"]).flatMap((fault, index) =>
      loneFaultFindings(fault, ["spec", "weather", "faults", index], "random")
    )
  )
  const behaviour = readChoice(spec["behaviour"], parts)
  const documents = [...(start ?? []), ...steps.flatMap((it) => it?.documents ?? [])]
  readAnnotations(documents, parts)
  parts.problems.push(...invalidManifests(start ?? [], steps))

  const story = storyOf(metadata["name"], { ...spec, behaviour }, parts, start ?? [], steps)
  const areStepsWhole = Array.isArray(spec["steps"]) && steps.every((it) => it?.isWhole === true)
  const fieldwise = [...outline, ...parts.findings]
  const { nodes, invariants, faults, limit } = spec
  const beyond = storyFindings({
    // What does not make sense by itself is left out of what is looked at as a whole.
    story:
      soundPart({ nodes, invariants, faults, weather: spec["weather"], limit }, ["spec"], fieldwise) ?? {},
    isRead: (field) => !fieldwise.some(({ path }) => path[1] === field),
    start: start ?? [],
    steps,
    isWhole: start !== undefined && areStepsWhole
  })
  return { story, findings: [...fieldwise, ...beyond], problems: parts.problems }
}

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

interface ReadStep extends SoundStep {
  /** Whether it is known what it brings, or writes to. */
  readonly isWhole: boolean
}

const readStep = (value: unknown, path: FieldPath, source: Source, parts: Parts): ReadStep | undefined => {
  const found = stepFindings(value, path)
  parts.findings.push(...found)
  const fields = isFields(value) ? value : {}
  const documents = readObjects(fields["apply"], [...path, "apply"], source, parts)
  const deeds = deedsOf(fields)
  if (deeds.length === 0) return undefined
  // Its schema has let that through.
  const step = (found.length === 0 ? fields : soundPart(fields, path, found)) as object as Step
  const isWhole = documents !== undefined && deeds.every((deed) => deed in step || !changing.has(deed))
  const sound = { isWhole, isSound: found.length === 0 }
  if (!("apply" in step)) return { step, documents: [], ...sound }
  return { step: { ...step, apply: (documents ?? []).map(draftOf) }, documents: documents ?? [], ...sound }
}

/** What makes objects, or gives them other containers and revisions. */
const changing: ReadonlySet<string> = new Set(["apply", "patch", "setImage", "undo"])

/** As it was written: what kubectl would send. */
const draftOf = ({ written }: ManifestDocument): Draft => written as object as Draft

const readChoice = (value: unknown, parts: Parts): Behaviour | string | undefined => {
  const path = ["spec", "behaviour"]
  if (value === undefined) return undefined
  if (typeof value !== "string") return readBehaviour(value, path, parts)
  const names = behaviourNames(parts)
  if (names.includes(value)) return value
  const meant = nearest(value, names)
  const hint = meant === undefined ? `there are ${names.join(", ")}` : `did you mean ${meant}?`
  parts.findings.push({
    path,
    message: `no behaviour is called ${JSON.stringify(value)}; ${hint}`,
    aim: "value"
  })
  return undefined
}

const readAnnotations = (documents: ReadonlyArray<ManifestDocument>, parts: Parts): void => {
  const wrong = unknownChoices(documents, behaviourNames(parts), behaviourAnnotation)
  for (const { document, path, message } of wrong)
    parts.problems.push({ file: document.file, ...document.placeOf(path), message })
}

const storyOf = (
  name: unknown,
  { start: _start, steps: _steps, behaviours: _behaviours, behaviour, ...spec }: Fields,
  { behaviours }: Parts,
  start: ReadonlyArray<ManifestDocument>,
  steps: ReadonlyArray<ReadStep | undefined>
): Story =>
  // Where this is not what it should be, a finding says so and nobody gets to see it.
  ({
    name: String(name),
    ...spec,
    ...(behaviour === undefined ? {} : { behaviour }),
    ...(behaviours.length === 0 ? {} : { behaviours }),
    ...(start.length === 0 ? {} : { start: start.map(draftOf) }),
    steps: steps.flatMap((it) => it?.step ?? [])
  }) as object as Story

/** What is wrong with the kind or the version of a document, which leaves nothing else to be said of it. */
export const versionProblem = (
  document: unknown
): { readonly field: string; readonly message: string } | undefined => {
  if (!isFields(document)) return { field: "", message: "is no object: a story is a map of fields" }
  const { apiVersion, kind } = document
  if (kind !== "Scenario") {
    const what = kind === undefined ? "has no kind" : `is of kind ${JSON.stringify(kind)}`
    return { field: "kind", message: `this ${what}, and a story is a Scenario` }
  }
  if (apiVersion === storyApiVersion) return undefined
  const version = typeof apiVersion === "string" ? apiVersion : ""
  return {
    field: "apiVersion",
    message: `no kind "Scenario" is registered for version ${JSON.stringify(version)}: there is ${storyApiVersion}`
  }
}
