import { isFields } from "../../domain/fields.ts"
import { predicateText } from "../conditions/judge.ts"
import { whomOf } from "./write.ts"
import type { Draft } from "../../domain/objects.ts"
import type { Fault } from "../../faults/fault.ts"
import type { Condition, Step } from "./story.ts"

/** What a step does, in a line: `scale deployment/web to 5`. */
export const stepText = (step: Step, faultText: (fault: Fault) => string): string => {
  if ("fault" in step) return faultText(step)
  if ("waitFor" in step) return `wait for ${conditionText(step.waitFor)}`
  if ("expect" in step) return `expect ${conditionText(step.expect)}`
  if ("advance" in step) return `advance ${step.advance}`
  const refusal = step.expectRefused === undefined ? "" : `, which is to be refused`
  return `${writeText(step)}${refusal}`
}

const writeText = (step: Extract<Step, { readonly expectRefused?: string }>): string => {
  if ("apply" in step) return `apply ${objectsText(step.apply)}`
  const whom = whomOf(step)
  if ("patch" in step) return `patch ${whom} in ${patchedText(step.with)}`
  if ("scale" in step) return `scale ${whom} to ${step.to}`
  if ("setImage" in step) {
    const images = Object.entries(step.images).map(([name, image]) => `${name}=${image}`)
    return `set image ${whom} ${images.join(" ")}`
  }
  if ("pause" in step) return `pause ${whom}`
  if ("resume" in step) return `resume ${whom}`
  if ("undo" in step)
    return `undo ${whom}${step.toRevision === undefined ? "" : ` to revision ${step.toRevision}`}`
  return `delete ${whom}`
}

const objectsText = (drafts: ReadonlyArray<Draft>): string =>
  listed(drafts.map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name ?? ""}`))

/** The fields alone: what a patch puts into them may be secret, and a recording is for others. */
const patchedText = (patch: object): string => {
  const fields = Array.isArray(patch) ? patch.map(pointerOf) : leavesOf(patch, "")
  return fields.length === 0 ? "nothing" : listed([...new Set(fields)])
}

/** Where an operation of a JSON Patch goes. */
const pointerOf = (operation: unknown): string =>
  isFields(operation) ? String(operation["path"]) : "nothing"

const leavesOf = (value: unknown, path: string): ReadonlyArray<string> => {
  if (!isFields(value)) return [path]
  const fields = Object.entries(value)
  if (fields.length === 0 && path !== "") return [path]
  return fields.flatMap(([field, it]) => {
    const step = /[./]/.test(field) ? `[${field}]` : path === "" ? field : `.${field}`
    return leavesOf(it, `${path}${step}`)
  })
}

const listed = (names: ReadonlyArray<string>): string =>
  names.length <= 3 ? names.join(", ") : `${names.slice(0, 2).join(", ")} and ${names.length - 2} more`

const conditionText = (condition: Condition): string =>
  typeof condition === "string" ? condition : predicateText(condition)
