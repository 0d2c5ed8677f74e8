import { findContradiction } from "../../conditions/findContradiction.ts"
import { resources } from "../../../kubernetes/meta/kinds.ts"
import { errorBody } from "../../../kubernetes/validation/fieldErrors.ts"
import { makeKnownObjects } from "./knownObjects.ts"
import { guessResource } from "../../../kubernetes/meta/resourceNames.ts"
import { defaultNodeCount } from "../../../cluster/defaultNodeCount.ts"
import { ownerProblem, ownerResources, ownersNamedIn } from "../../../faults/pods/podOwners.ts"
import { parseObjectName } from "../../conditions/objectName.ts"
import { parseCondition } from "../../conditions/parseCondition.ts"
import { quotaFaultErrors } from "../../../faults/kinds/quotaFaults.ts"
import { afterLimitFindings, storyTimeLimit, storyDurationMillis, timeFindings } from "./timeChecks.ts"
import { manifestPodTemplate, writeFindings } from "./writeChecks.ts"
import { parseFieldPath, type DocumentPath } from "../../../kubernetes/meta/text/fieldPath.ts"
import type { Fault, RandomFaults } from "../../../faults/fault.ts"
import type { TimeLimit } from "./timeChecks.ts"
import type { SchemaFinding } from "../../../behaviours/schemaFindings.ts"
import type { KnownObjects } from "./knownObjects.ts"
import type { ManifestDocument } from "../../../manifests/manifestDocument.ts"
import type { StoryCondition, StoryStep, Story } from "../story.ts"

/** Invalid parts of the story are undefined. */
interface StoryCheck {
  readonly story: ValidStory
  /** An absent field is valid. */
  readonly isFieldValid: (field: "nodes" | "limit") => boolean
  readonly start: ReadonlyArray<ManifestDocument>
  /** Undefined for a step without a recognizable action. */
  readonly steps: ReadonlyArray<ReadStoryStep | undefined>
  readonly areObjectsKnown: boolean
}

/** An invalid condition or fault is undefined. */
interface ValidStory extends Pick<Story, "limit"> {
  readonly nodes?: Story["nodes"]
  readonly invariants?: ReadonlyArray<StoryCondition | undefined>
  readonly faults?: ReadonlyArray<(Fault & { readonly at?: string }) | undefined>
  readonly weather?: Partial<Pick<RandomFaults, "every" | "from" | "until">> & {
    readonly faults?: ReadonlyArray<Fault | undefined>
  }
}

export interface ReadStoryStep {
  readonly step: StoryStep
  readonly documents: ReadonlyArray<ManifestDocument>
  readonly isValid: boolean
}

export const storyFindings = (input: StoryCheck): ReadonlyArray<SchemaFinding> => {
  const { story, isFieldValid, start, steps, areObjectsKnown } = input
  const isCounted = isFieldValid("nodes") && !Array.isArray(story.nodes)
  const nodes = isCounted ? (nodeCount(story.nodes) ?? defaultNodeCount) : nodeCount(story.nodes)
  const knownObjects = makeKnownObjects({ nodes, areObjectsKnown })
  knownObjects.add(start)
  // Invariants, and faults with their own time, may name an object of any step.
  const allObjects = makeKnownObjects({ nodes, areObjectsKnown })
  allObjects.add([...start, ...steps.flatMap((readStep) => readStep?.documents ?? [])])
  const limit = storyTimeLimit(story.limit, isFieldValid("limit"))
  const storySteps = steps.map((readStep) => readStep?.step)
  return [
    ...steps.flatMap((readStep, index) =>
      readStep === undefined ? [] : checkStep(readStep, ["spec", "steps", index], index + 1, knownObjects)
    ),
    ...timeFindings(storySteps, limit),
    ...(story.invariants ?? []).flatMap((condition, index) =>
      conditionFindings(condition, ["spec", "invariants", index], allObjects)
    ),
    ...(story.faults ?? []).flatMap((fault, index) =>
      fault === undefined ? [] : faultFindings(fault, ["spec", "faults", index], allObjects)
    ),
    ...weatherFindings(story, allObjects),
    ...limitFindings(story, storySteps, limit)
  ]
}

/** Undefined for Node objects, which have names of their own. */
const nodeCount = (nodes: Story["nodes"]): number | undefined =>
  typeof nodes === "object" ? ("count" in nodes ? nodes.count : undefined) : nodes

/** Adds what the step applies to the known objects. */
const checkStep = (
  { step, documents, isValid }: ReadStoryStep,
  path: DocumentPath,
  stepNumber: number,
  knownObjects: KnownObjects
): ReadonlyArray<SchemaFinding> => {
  const whenFindings =
    step.when === undefined ? [] : conditionFindings(step.when, [...path, "when"], knownObjects)
  const findings = ((): ReadonlyArray<SchemaFinding> => {
    if ("waitFor" in step) return conditionFindings(step.waitFor, [...path, "waitFor"], knownObjects)
    if ("expect" in step) return conditionFindings(step.expect, [...path, "expect"], knownObjects)
    if ("advance" in step || "setLoad" in step || "setMetric" in step) return []
    if ("fault" in step) return faultFindings(step, path, knownObjects)
    return writeFindings({ step, isValid }, path, stepNumber, knownObjects)
  })()
  if ("apply" in step && step.expectRefused === undefined) knownObjects.add(documents)
  return [...whenFindings, ...findings]
}

const conditionFindings = (
  condition: StoryCondition | undefined,
  path: DocumentPath,
  knownObjects: KnownObjects
): ReadonlyArray<SchemaFinding> => {
  if (typeof condition !== "string") return []
  const parsed = parseCondition(condition)
  const toFinding = (message: string, column = 1): SchemaFinding => ({
    path,
    message,
    fieldPart: "value",
    offset: column - 1
  })
  const contradiction = findContradiction(parsed)
  const missing = new Map<string, number>()
  for (const { subject, column } of parsed.requiredSubjects) {
    const why = subject === undefined ? whyNoDeployment(knownObjects) : knownObjects.whyMissing(subject)
    if (why !== undefined && !missing.has(why)) missing.set(why, column)
  }
  return [
    ...parsed.problems.map(({ column, message }) =>
      toFinding(`${JSON.stringify(condition)} is no condition: ${message}`, column)
    ),
    ...(contradiction === undefined ? [] : [toFinding(`can never hold: ${contradiction}`)]),
    ...[...missing].map(([why, column]) => toFinding(`can never hold: ${why}`, column))
  ]
}

const whyNoDeployment = (knownObjects: KnownObjects): string | undefined =>
  knownObjects.namesOf(resources.deployments).length === 0 && !knownObjects.mayBeIncomplete
    ? "no manifest before this creates a Deployment, and a condition without a subject is about all of them"
    : undefined

const faultFindings = (
  fault: Fault,
  path: DocumentPath,
  knownObjects: KnownObjects
): ReadonlyArray<SchemaFinding> => {
  const findings: Array<SchemaFinding> = []
  const addFinding = (message: string, ...below: DocumentPath): void =>
    void findings.push({ path: [...path, ...below], message, fieldPart: "value" })
  const checkNode = (name: string, ...below: DocumentPath): void => {
    const object = parseObjectName(`node/${name}`)
    const why = "message" in object ? object.message : knownObjects.whyMissing(object)
    if (why !== undefined) addFinding(`can never be met: ${why}`, ...below)
  }
  if ("node" in fault) checkNode(fault.node, "node")
  if ("pods" in fault) {
    const { namespace, revision, node } = fault.pods
    const [owner, otherOwner] = ownersNamedIn(fault.pods)
    if (node !== undefined) checkNode(node, "pods", "node")
    if (owner !== undefined && !knownObjects.mayBeIncomplete) {
      const resource = ownerResources[owner.field]
      const type = owner.field.toLowerCase()
      if (!knownObjects.hasWorkload(resource, owner.name, namespace)) {
        const knownNames = knownObjects.namesOf(resource)
        const choice = knownNames.length === 0 ? `no ${type} at all` : knownNames.slice(0, 3).join(", ")
        addFinding(
          `can never be met: no manifest before this creates ${type}/${owner.name}: there is ${choice}`,
          "pods",
          owner.field
        )
      }
    }
    if (otherOwner !== undefined)
      addFinding(`can never be met: ${ownerProblem(fault.pods) ?? ""}`, "pods", otherOwner.field)
    if (revision !== undefined && owner === undefined)
      addFinding("is a workload's revision, and no workload is named here", "pods", "revision")
    if (revision !== undefined && owner?.field === "job")
      addFinding("is a workload's revision, and a job has none", "pods", "revision")
  }
  if (fault.fault === "quotaExhausted") {
    const { namespace = "default" } = fault
    const object = parseObjectName(`namespace/${namespace}`)
    const why = "message" in object ? object.message : knownObjects.whyMissing(object)
    if (why !== undefined) addFinding(`can never be met: ${why}`, "namespace")
    // Errors have paths of a ResourceQuota: the fault's `hard` is `spec.hard` there.
    for (const error of quotaFaultErrors(fault))
      addFinding(errorBody(error), ...parseFieldPath(error.field).slice(1))
  }
  if (fault.fault === "clockJump" && isZero(fault.by))
    addFinding("must be above zero: a jump of no time is none", "by")
  if (fault.fault === "flap" && isZero(fault.ready) && isZero(fault.unready))
    addFinding("must be above zero where ready is 0s: readiness that comes and goes takes time", "unready")
  if (fault.fault === "writesRefused" && fault.resource !== undefined) {
    const why = resourceProblem(fault.resource)
    if (why !== undefined) addFinding(why, "resource")
  }
  return findings
}

const isZero = (text: string | undefined): boolean => text !== undefined && storyDurationMillis(text) === 0

const resourceProblem = (resource: string): string | undefined => {
  const suggestion = guessResource(resource)
  if (suggestion === resource) return undefined
  return `is no resource; ${suggestion === undefined ? `write pods or ${resources.deployments}` : `did you mean ${suggestion}?`}`
}

const weatherFindings = (
  { weather }: ValidStory,
  knownObjects: KnownObjects
): ReadonlyArray<SchemaFinding> => {
  if (weather === undefined) return []
  const path = ["spec", "weather"]
  const { every, from, until, faults } = weather
  const toFinding = (message: string, field: string): SchemaFinding => ({
    path: [...path, field],
    message,
    fieldPart: "value"
  })
  return [
    ...(isZero(every) ? [toFinding("must be above zero", "every")] : []),
    ...(until !== undefined && storyDurationMillis(until) <= storyDurationMillis(from)
      ? [toFinding(`is over before it begins: it begins at ${from ?? "0s"}`, "until")]
      : []),
    ...(faults?.length === 0 ? [toFinding("must have at least one", "faults")] : []),
    ...(faults ?? []).flatMap((fault, index) =>
      fault === undefined ? [] : faultFindings(fault, [...path, "faults", index], knownObjects)
    )
  ]
}

const limitFindings = (
  { weather, faults = [] }: ValidStory,
  steps: ReadonlyArray<StoryStep | undefined>,
  limit: TimeLimit
): ReadonlyArray<SchemaFinding> => [
  ...afterLimitFindings(weather?.until, ["spec", "weather", "until"], limit),
  ...faults.flatMap((fault, index) => afterLimitFindings(fault?.at, ["spec", "faults", index, "at"], limit)),
  ...steps.flatMap((step, index) => afterLimitFindings(step?.at, ["spec", "steps", index, "at"], limit))
]

export const unknownBehaviourAnnotations = (
  documents: ReadonlyArray<ManifestDocument>,
  behaviourNames: ReadonlyArray<string>,
  annotation: string
): ReadonlyArray<{
  readonly document: ManifestDocument
  readonly path: DocumentPath
  readonly message: string
}> =>
  documents.flatMap((document) => {
    const { annotations, path: templatePath } = manifestPodTemplate(document)
    const behaviourName = annotations[annotation]
    if (behaviourName === undefined || behaviourNames.includes(behaviourName)) return []
    const message = `no behaviour is called ${JSON.stringify(behaviourName)}; there are ${behaviourNames.join(", ")}`
    return [{ document, path: [...templatePath, "metadata", "annotations", annotation], message }]
  })
