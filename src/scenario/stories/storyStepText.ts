import { isFields } from "../../kubernetes/meta/fields.ts"
import { predicateText } from "../conditions/conditionCheck.ts"
import { writeTargetText } from "./playing/performWrite.ts"
import type { LoadRate } from "../../behaviours/load/load.ts"
import type { Draft } from "../../kubernetes/meta/objects.ts"
import type { Fault } from "../../faults/fault.ts"
import type { StoryCondition, StoryStep } from "./story.ts"

/** One line: `scale deployment/web to 5`. */
export const storyStepText = (step: StoryStep, faultText: (fault: Fault) => string): string => {
  if ("fault" in step) return faultText(step)
  if ("waitFor" in step) return `wait for ${conditionText(step.waitFor)}`
  if ("expect" in step) return `expect ${conditionText(step.expect)}`
  if ("advance" in step) return `advance ${step.advance}`
  if ("setLoad" in step)
    return `set the load of ${step.setLoad} to ${rateText(step.perSecond, " requests a second")}`
  if ("setMetric" in step) return `set the metric ${step.setMetric} to ${rateText(step.value, "")}`
  const refusal = step.expectRefused === undefined ? "" : `, which is to be refused`
  return `${writeText(step)}${refusal}`
}

const rateText = (rate: LoadRate, unit: string): string => {
  if (typeof rate === "number") return `${rate}${unit}`
  return "low" in rate
    ? `between ${rate.low} and ${rate.high}${unit} over each day`
    : `${rate.from}, then ${rate.to}${unit}`
}

const writeText = (step: Extract<StoryStep, { readonly expectRefused?: string }>): string => {
  if ("apply" in step) return `apply ${objectsText(step.apply)}`
  const target = writeTargetText(step)
  if ("patch" in step) return `patch ${target} in ${patchedFieldsText(step.with)}`
  if ("scale" in step) return `scale ${target} to ${step.to}`
  if ("setImage" in step) {
    const images = Object.entries(step.images).map(([name, image]) => `${name}=${image}`)
    return `set image ${target} ${images.join(" ")}`
  }
  if ("pause" in step) return `pause ${target}`
  if ("resume" in step) return `resume ${target}`
  if ("undo" in step)
    return `undo ${target}${step.toRevision === undefined ? "" : ` to revision ${step.toRevision}`}`
  return `delete ${target}`
}

const objectsText = (drafts: ReadonlyArray<Draft>): string =>
  joinShortened(drafts.map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name ?? ""}`))

/** Values in a patch may be secret, and recordings are shared. */
const patchedFieldsText = (patch: object): string => {
  const paths = Array.isArray(patch) ? patch.map(pointerOf) : leafPathsOf(patch, "")
  return paths.length === 0 ? "nothing" : joinShortened([...new Set(paths)])
}

const pointerOf = (operation: unknown): string =>
  isFields(operation) ? String(operation["path"]) : "nothing"

const leafPathsOf = (value: unknown, path: string): ReadonlyArray<string> => {
  if (!isFields(value)) return [path]
  const fields = Object.entries(value)
  if (fields.length === 0 && path !== "") return [path]
  return fields.flatMap(([field, inner]) => {
    const suffix = /[./]/.test(field) ? `[${field}]` : path === "" ? field : `.${field}`
    return leafPathsOf(inner, `${path}${suffix}`)
  })
}

const joinShortened = (names: ReadonlyArray<string>): string =>
  names.length <= 3 ? names.join(", ") : `${names.slice(0, 2).join(", ")} and ${names.length - 2} more`

const conditionText = (condition: StoryCondition): string =>
  typeof condition === "string" ? condition : predicateText(condition)
