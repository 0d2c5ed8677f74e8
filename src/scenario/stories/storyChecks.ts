import { contradictionIn } from "../conditions/contradiction.ts"
import { formatDuration, parseDuration } from "../../domain/durations.ts"
import { allKinds, groupResourceOf, resources } from "../../domain/kinds.ts"
import { bodyOf } from "../../domain/admission/fieldErrors.ts"
import { limitDefaults } from "./limits.ts"
import { makeKnownObjects } from "./knownObjects.ts"
import { nearest } from "../../domain/nearest.ts"
import { nodesDefault } from "../../domain/nodesDefault.ts"
import { objectNamed } from "../conditions/objectName.ts"
import { parseCondition } from "../conditions/parseCondition.ts"
import { pathOfField } from "../../manifests/manifest.ts"
import { quotaErrors } from "../../faults/quota.ts"
import { podSpecOf, writeFindings } from "./writeChecks.ts"
import type { FieldPath } from "../../domain/admission/decodeFields.ts"
import type { Fault } from "../../faults/fault.ts"
import type { Finding } from "../../behaviours/findings.ts"
import type { KnownObjects } from "./knownObjects.ts"
import type { ManifestDocument } from "../../manifests/manifest.ts"
import type { Condition, Step, Story } from "./story.ts"

/** A story whose fields are what they should be, as far as they could be read. */
interface ReadableStory {
  readonly story: Omit<Story, "start" | "steps">
  readonly start: ReadonlyArray<ManifestDocument>
  /** In the order of the story; undefined for a step that could not be read. */
  readonly steps: ReadonlyArray<
    { readonly step: Step; readonly documents: ReadonlyArray<ManifestDocument> } | undefined
  >
  readonly isWhole: boolean
}

/** What is wrong with a story beyond its single fields: names that mean nothing, and what can never happen. */
export const storyFindings = (readable: ReadableStory): ReadonlyArray<Finding> => {
  const { story, start, steps, isWhole } = readable
  const { nodes = nodesDefault } = story
  const count = typeof nodes === "number" ? nodes : (nodes.count ?? nodesDefault)
  const known = makeKnownObjects({ nodes: count, isWhole: isWhole && steps.every((it) => it !== undefined) })
  known.bring(start)
  const everything = makeKnownObjects({ nodes: count, isWhole })
  everything.bring([...start, ...steps.flatMap((it) => it?.documents ?? [])])
  return [
    ...steps.flatMap((it, index) =>
      it === undefined ? [] : stepChecks(it.step, it.documents, ["spec", "steps", index], index + 1, known)
    ),
    ...timeFindings(
      steps.map((it) => it?.step),
      story
    ),
    ...(story.invariants ?? []).flatMap((condition, index) =>
      conditionFindings(condition, ["spec", "invariants", index], everything)
    ),
    ...(story.faults ?? []).flatMap((fault, index) =>
      faultFindings(fault, ["spec", "faults", index], everything)
    ),
    ...weatherFindings(story, everything),
    ...limitFindings(
      story,
      steps.map((it) => it?.step)
    )
  ]
}

const stepChecks = (
  step: Step,
  documents: ReadonlyArray<ManifestDocument>,
  path: FieldPath,
  number: number,
  known: KnownObjects
): ReadonlyArray<Finding> => {
  const when = step.when === undefined ? [] : conditionFindings(step.when, [...path, "when"], known)
  const found = ((): ReadonlyArray<Finding> => {
    if ("waitFor" in step) return conditionFindings(step.waitFor, [...path, "waitFor"], known)
    if ("expect" in step) return conditionFindings(step.expect, [...path, "expect"], known)
    if ("advance" in step) return []
    if ("fault" in step) return faultFindings(step, path, known)
    return writeFindings(step, path, number, known)
  })()
  if ("apply" in step && step.expectRefused === undefined) known.bring(documents)
  return [...when, ...found]
}

/** What is wrong with a condition; a predicate in TypeScript is as it is. */
const conditionFindings = (
  condition: Condition,
  path: FieldPath,
  known: KnownObjects
): ReadonlyArray<Finding> => {
  if (typeof condition !== "string") return []
  const parsed = parseCondition(condition)
  if (!parsed.ok) {
    return parsed.problems.map(({ column, message }) => ({
      path,
      message: `${JSON.stringify(condition)} is no condition: ${message}`,
      aim: "value",
      offset: column - 1
    }))
  }
  const contradiction = contradictionIn(parsed.value)
  if (contradiction !== undefined)
    return [{ path, message: `can never hold: ${contradiction}`, aim: "value" }]
  return parsed.value.clauses.flatMap((clause): ReadonlyArray<Finding> => {
    const { subject } = clause
    if (clause.type === "state" && clause.state === "gone" && !clause.isNegated) return []
    const why =
      subject === undefined
        ? known.deployments().length === 0 && !known.isPartial
          ? "no manifest brings a Deployment before this, and it is said of every Deployment"
          : undefined
        : known.whyMissing(subject)
    return why === undefined ? [] : [{ path, message: `can never hold: ${why}`, aim: "value" }]
  })
}

const faultFindings = (fault: Fault, path: FieldPath, known: KnownObjects): ReadonlyArray<Finding> => {
  const found: Array<Finding> = []
  const tell = (message: string, ...below: FieldPath): void =>
    void found.push({ path: [...path, ...below], message, aim: "value" })
  const node = (name: string, ...below: FieldPath): void => {
    const object = objectNamed(`node/${name}`)
    const why = "message" in object ? object.message : known.whyMissing(object)
    if (why !== undefined) tell(`can never be met: ${why}`, ...below)
  }
  if ("node" in fault) node(fault.node, "node")
  if ("pods" in fault) {
    const { deployment, namespace, revision, node: name } = fault.pods
    if (name !== undefined) node(name, "pods", "node")
    if (deployment !== undefined && !known.isPartial && !known.hasDeployment(deployment, namespace)) {
      const others = known.deployments()
      const choice = others.length === 0 ? "no deployment at all" : others.slice(0, 3).join(", ")
      tell(
        `can never be met: no manifest brings deployment/${deployment} before this: there is ${choice}`,
        "pods",
        "deployment"
      )
    }
    if (revision !== undefined && deployment === undefined)
      tell("is that of a deployment, and none is named here", "pods", "revision")
  }
  if (fault.fault === "quotaExhausted") {
    const { namespace = "default" } = fault
    const object = objectNamed(`namespace/${namespace}`)
    const why = "message" in object ? object.message : known.whyMissing(object)
    if (why !== undefined) tell(`can never be met: ${why}`, "namespace")
    for (const error of quotaErrors(fault)) tell(bodyOf(error), ...pathOfField(error.field).slice(1))
  }
  if (fault.fault === "clockJump" && millisOf(fault.by) === 0)
    tell("must be above zero: a jump of no time is none", "by")
  if (fault.fault === "flap" && millisOf(fault.ready) === 0 && millisOf(fault.unready) === 0)
    tell("must be above zero where ready is 0s: readiness that comes and goes takes time", "unready")
  if (fault.fault === "writesRefused" && fault.resource !== undefined) {
    const why = resourceProblem(fault.resource)
    if (why !== undefined) tell(why, "resource")
  }
  return found
}

const resourceProblem = (resource: string): string | undefined => {
  const names = allKinds.map(groupResourceOf)
  if (names.includes(resource)) return undefined
  const named = allKinds.find((kind) => [kind.plural, kind.singular, ...kind.shortNames].includes(resource))
  const meant = named === undefined ? nearest(resource, names) : groupResourceOf(named)
  return `is no resource; ${meant === undefined ? `write pods or ${resources.deployments}` : `did you mean ${meant}?`}`
}

const millisOf = (text: string | undefined): number => (text === undefined ? 0 : (parseDuration(text) ?? 0))

const limitOf = (limit: Story["limit"]): { readonly text: string; readonly millis: number } => {
  const text = limit?.time ?? formatDuration(limitDefaults.millis)
  return { text, millis: millisOf(text) }
}

/** Times that lie in the past when their step's turn comes, or behind the limit, as far as that is known beforehand. */
const timeFindings = (
  steps: ReadonlyArray<Step | undefined>,
  { limit }: Pick<Story, "limit">
): ReadonlyArray<Finding> => {
  const found: Array<Finding> = []
  const limitMillis = limitOf(limit).millis
  let earliestMillis = 0
  for (const [index, step] of steps.entries()) {
    if (step === undefined) continue
    const tell = (field: string, message: string): void =>
      void found.push({ path: ["spec", "steps", index, field], message, aim: "value" })
    const pass = (field: string, text: string): void => {
      const isWithin = earliestMillis <= limitMillis
      earliestMillis += millisOf(text)
      if (!isWithin || earliestMillis <= limitMillis) return
      const end = `the story ends at its limit of ${limitOf(limit).text}`
      const what = field === "after" ? "reached" : "over"
      tell(field, `is never ${what}: it is ${formatDuration(earliestMillis)} by then, and ${end}`)
    }
    const { at, after } = step
    const atMillis = millisOf(at)
    if (at !== undefined && atMillis < earliestMillis) {
      const since = formatDuration(earliestMillis)
      tell("at", `lies in the past: the step before it is not over before ${since}`)
    }
    earliestMillis = Math.max(earliestMillis, atMillis)
    if (after !== undefined) pass("after", after)
    if ("advance" in step) pass("advance", step.advance)
    if ("fault" in step && step.fault === "clockJump") pass("by", step.by)
  }
  return found
}

const weatherFindings = (
  { weather }: Pick<Story, "weather">,
  known: KnownObjects
): ReadonlyArray<Finding> => {
  if (weather === undefined) return []
  const path = ["spec", "weather"]
  const wrong = (message: string, field: string): Finding => ({
    path: [...path, field],
    message,
    aim: "value"
  })
  return [
    ...(millisOf(weather.every) > 0 ? [] : [wrong("must be above zero", "every")]),
    ...(millisOf(weather.from) < millisOf(weather.until)
      ? []
      : [wrong(`is over before it begins: it begins at ${weather.from ?? "0s"}`, "until")]),
    ...(weather.faults.length > 0 ? [] : [wrong("must have at least one", "faults")]),
    ...weather.faults.flatMap((fault, index) => faultFindings(fault, [...path, "faults", index], known))
  ]
}

const limitFindings = (
  { limit, weather, faults = [] }: Pick<Story, "limit" | "weather" | "faults">,
  steps: ReadonlyArray<Step | undefined>
): ReadonlyArray<Finding> => {
  const { text: time, millis: limitMillis } = limitOf(limit)
  const behind = (text: string | undefined, path: FieldPath): ReadonlyArray<Finding> =>
    millisOf(text) > limitMillis
      ? [{ path, message: `is never reached: the story ends at its limit of ${time}`, aim: "value" }]
      : []
  return [
    ...behind(weather?.until, ["spec", "weather", "until"]),
    ...faults.flatMap(({ at }, index) => behind(at, ["spec", "faults", index, "at"])),
    ...steps.flatMap((step, index) => behind(step?.at, ["spec", "steps", index, "at"]))
  ]
}

/** Behaviours that Pods choose by name and that nobody has defined. */
export const unknownChoices = (
  documents: ReadonlyArray<ManifestDocument>,
  names: ReadonlyArray<string>,
  annotation: string
): ReadonlyArray<{
  readonly document: ManifestDocument
  readonly path: FieldPath
  readonly message: string
}> =>
  documents.flatMap((document) => {
    const { annotations, below } = podSpecOf(document)
    const chosen = annotations[annotation]
    if (chosen === undefined || names.includes(chosen)) return []
    const message = `no behaviour is called ${JSON.stringify(chosen)}; there are ${names.join(", ")}`
    return [{ document, path: [...below, "metadata", "annotations", annotation], message }]
  })
