import { contradictionIn } from "../conditions/contradiction.ts"
import { resources } from "../../domain/kinds.ts"
import { bodyOf } from "../../domain/admission/fieldErrors.ts"
import { makeKnownObjects } from "./knownObjects.ts"
import { resourceMeant } from "../../domain/resourceNames.ts"
import { nodesDefault } from "../../domain/nodesDefault.ts"
import { objectNamed } from "../conditions/objectName.ts"
import { parseCondition } from "../conditions/parseCondition.ts"
import { pathOfField } from "../../manifests/manifest.ts"
import { quotaErrors } from "../../faults/quota.ts"
import { behindLimit, limitOf, millisOf, timeFindings } from "./timeChecks.ts"
import { podSpecOf, writeFindings } from "./writeChecks.ts"
import type { FieldPath } from "../../domain/admission/decodeFields.ts"
import type { Fault, RandomFaults } from "../../faults/fault.ts"
import type { Limit } from "./timeChecks.ts"
import type { Finding } from "../../behaviours/findings.ts"
import type { KnownObjects } from "./knownObjects.ts"
import type { ManifestDocument } from "../../manifests/manifest.ts"
import type { Condition, Step, Story } from "./story.ts"

/** A story of which what was wrong by itself is taken out: whatever has gone is undefined here. */
interface ReadableStory {
  readonly story: SoundStory
  /** Whether nothing was taken out of a field of the story. */
  readonly isRead: (field: "nodes" | "limit") => boolean
  readonly start: ReadonlyArray<ManifestDocument>
  /** In the order of the story; undefined for a step of which nobody knows what it does. */
  readonly steps: ReadonlyArray<SoundStep | undefined>
  /** Whether all is known that brings objects, takes them away or changes them. */
  readonly isWhole: boolean
}

interface SoundStory extends Pick<Story, "limit"> {
  readonly nodes?: Story["nodes"]
  readonly invariants?: ReadonlyArray<Condition | undefined>
  readonly faults?: ReadonlyArray<(Fault & { readonly at?: string }) | undefined>
  readonly weather?: Partial<Pick<RandomFaults, "every" | "from" | "until">> & {
    readonly faults?: ReadonlyArray<Fault | undefined>
  }
}

export interface SoundStep {
  readonly step: Step
  readonly documents: ReadonlyArray<ManifestDocument>
  /** Whether nothing was taken out of it. */
  readonly isSound: boolean
}

/** What is wrong with a story beyond its single fields: names that mean nothing, and what can never happen. */
export const storyFindings = (readable: ReadableStory): ReadonlyArray<Finding> => {
  const { story, isRead, start, steps, isWhole } = readable
  const nodes = isRead("nodes") ? (countOf(story.nodes) ?? nodesDefault) : countOf(story.nodes)
  const known = makeKnownObjects({ nodes, isWhole })
  known.bring(start)
  const everything = makeKnownObjects({ nodes, isWhole })
  everything.bring([...start, ...steps.flatMap((it) => it?.documents ?? [])])
  const limit = limitOf(story.limit, isRead("limit"))
  const bare = steps.map((it) => it?.step)
  return [
    ...steps.flatMap((it, index) =>
      it === undefined ? [] : stepChecks(it, ["spec", "steps", index], index + 1, known)
    ),
    ...timeFindings(bare, limit),
    ...(story.invariants ?? []).flatMap((condition, index) =>
      conditionFindings(condition, ["spec", "invariants", index], everything)
    ),
    ...(story.faults ?? []).flatMap((fault, index) =>
      fault === undefined ? [] : faultFindings(fault, ["spec", "faults", index], everything)
    ),
    ...weatherFindings(story, everything),
    ...limitFindings(story, bare, limit)
  ]
}

/** How many nodes a story says there are. */
const countOf = (nodes: Story["nodes"]): number | undefined =>
  typeof nodes === "object" ? nodes.count : nodes

const stepChecks = (
  { step, documents, isSound }: SoundStep,
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
    return writeFindings({ step, isSound }, path, number, known)
  })()
  if ("apply" in step && step.expectRefused === undefined) known.bring(documents)
  return [...when, ...found]
}

/** What is wrong with a condition; a predicate in TypeScript is as it is. */
const conditionFindings = (
  condition: Condition | undefined,
  path: FieldPath,
  known: KnownObjects
): ReadonlyArray<Finding> => {
  if (typeof condition !== "string") return []
  const read = parseCondition(condition)
  const at = (message: string, column = 1): Finding => ({
    path,
    message,
    aim: "value",
    offset: column - 1
  })
  const contradiction = contradictionIn(read)
  // Of two clauses about the same object it is said once.
  const missing = new Map<string, number>()
  for (const { subject, column } of read.needed) {
    const why = subject === undefined ? whyNoDeployment(known) : known.whyMissing(subject)
    if (why !== undefined && !missing.has(why)) missing.set(why, column)
  }
  return [
    ...read.problems.map(({ column, message }) =>
      at(`${JSON.stringify(condition)} is no condition: ${message}`, column)
    ),
    ...(contradiction === undefined ? [] : [at(`can never hold: ${contradiction}`)]),
    ...[...missing].map(([why, column]) => at(`can never hold: ${why}`, column))
  ]
}

const whyNoDeployment = (known: KnownObjects): string | undefined =>
  known.deployments().length === 0 && !known.isPartial
    ? "no manifest brings a Deployment before this, and it is said of every Deployment"
    : undefined

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
  if (fault.fault === "clockJump" && isNone(fault.by))
    tell("must be above zero: a jump of no time is none", "by")
  if (fault.fault === "flap" && isNone(fault.ready) && isNone(fault.unready))
    tell("must be above zero where ready is 0s: readiness that comes and goes takes time", "unready")
  if (fault.fault === "writesRefused" && fault.resource !== undefined) {
    const why = resourceProblem(fault.resource)
    if (why !== undefined) tell(why, "resource")
  }
  return found
}

/** No time at all; what could not be read may be any. */
const isNone = (text: string | undefined): boolean => text !== undefined && millisOf(text) === 0

const resourceProblem = (resource: string): string | undefined => {
  const meant = resourceMeant(resource)
  if (meant === resource) return undefined
  return `is no resource; ${meant === undefined ? `write pods or ${resources.deployments}` : `did you mean ${meant}?`}`
}

const weatherFindings = ({ weather }: SoundStory, known: KnownObjects): ReadonlyArray<Finding> => {
  if (weather === undefined) return []
  const path = ["spec", "weather"]
  const { every, from, until, faults } = weather
  const wrong = (message: string, field: string): Finding => ({
    path: [...path, field],
    message,
    aim: "value"
  })
  return [
    ...(isNone(every) ? [wrong("must be above zero", "every")] : []),
    ...(until !== undefined && millisOf(until) <= millisOf(from)
      ? [wrong(`is over before it begins: it begins at ${from ?? "0s"}`, "until")]
      : []),
    ...(faults?.length === 0 ? [wrong("must have at least one", "faults")] : []),
    ...(faults ?? []).flatMap((fault, index) =>
      fault === undefined ? [] : faultFindings(fault, [...path, "faults", index], known)
    )
  ]
}

/** Times behind the limit, of those that are said from the beginning on. */
const limitFindings = (
  { weather, faults = [] }: SoundStory,
  steps: ReadonlyArray<Step | undefined>,
  limit: Limit
): ReadonlyArray<Finding> => [
  ...behindLimit(weather?.until, ["spec", "weather", "until"], limit),
  ...faults.flatMap((fault, index) => behindLimit(fault?.at, ["spec", "faults", index, "at"], limit)),
  ...steps.flatMap((step, index) => behindLimit(step?.at, ["spec", "steps", index, "at"], limit))
]

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
