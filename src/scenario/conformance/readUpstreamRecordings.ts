import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { isFields } from "../../kubernetes/meta/fields.ts"
import { workloadOfRecording } from "./upstreamWorkloads.ts"
import type { UpstreamWorkload, UpstreamRecording, UpstreamStep } from "./upstreamWorkload.ts"

export class UnreadableUpstreamRecordings extends Error {
  override readonly name = "UnreadableUpstreamRecordings"
}

/** Each line of a file, or of the `.jsonl` files of a folder, is a recording. Throws `UnreadableUpstreamRecordings`. */
export const readUpstreamRecordings = (paths: ReadonlyArray<string>): ReadonlyArray<UpstreamRecording> =>
  paths.flatMap(filesAt).flatMap((file) => {
    const recordings = readText(file)
      .split("\n")
      .flatMap((line, index) => (line.trim() === "" ? [] : [readLine(line, `${file}:${index + 1}`)]))
    if (recordings.length === 0) throw new UnreadableUpstreamRecordings(`${file}: no recording is in it`)
    return recordings
  })

const filesAt = (path: string): ReadonlyArray<string> => {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [path]
  const files = readdirSync(path).filter((name) => name.endsWith(".jsonl"))
  if (files.length === 0) throw new UnreadableUpstreamRecordings(`${path}: no .jsonl file is in this folder`)
  return files.sort().map((name) => join(path, name))
}

const readText = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    throw new UnreadableUpstreamRecordings(`${file}: no such file, or it cannot be read`)
  }
}

const readLine = (line: string, location: string): UpstreamRecording => {
  let recording: unknown
  try {
    recording = JSON.parse(line)
  } catch {
    throw new UnreadableUpstreamRecordings(`${location}: not JSON`)
  }
  if (!isRecording(recording)) {
    throw new UnreadableUpstreamRecordings(
      `${location}: not a recording: an "id" and "steps" that say what to "do", and "then"`
    )
  }
  const kind = workloadOfRecording(recording)
  for (const [index, step] of recording.steps.entries()) {
    const problem = problemOf(step, kind)
    if (problem !== undefined)
      throw new UnreadableUpstreamRecordings(`${location}: step ${index + 1}: ${problem}`)
  }
  return recording
}

const problemOf = (
  step: UpstreamStep,
  { workloadField, actions, stepFields, workloadFields, hasOneTemplate = false }: UpstreamWorkload
): string | undefined => {
  const requiredFields = actions[step.do]
  if (requiredFields === undefined) return `unknown action ${JSON.stringify(step.do)}`
  const invalidField = Object.entries(step).find(([field, value]) => stepFields[field]?.(value) === false)
  if (invalidField !== undefined) return `"${invalidField[0]}" cannot be ${JSON.stringify(invalidField[1])}`
  const missingField = requiredFields.find((field) => step[field] === undefined)
  if (missingField !== undefined) return `${step.do} without "${missingField}"`
  const workload = step[workloadField]
  if (!isFields(workload)) return undefined
  const invalidWorkloadField = Object.entries(workload).find(
    ([field, value]) => workloadFields[field]?.(value) === false
  )
  if (invalidWorkloadField !== undefined)
    return `"${workloadField}.${invalidWorkloadField[0]}" cannot be ${JSON.stringify(invalidWorkloadField[1])}`
  return workload["v"] === undefined && !hasOneTemplate ? `"${workloadField}" without "v"` : undefined
}

const isRecording = (value: unknown): value is UpstreamRecording =>
  isFields(value) &&
  typeof value["id"] === "string" &&
  Array.isArray(value["steps"]) &&
  value["steps"].length > 0 &&
  value["steps"].every(
    (step) => isFields(step) && typeof step["do"] === "string" && typeof step["then"] === "object"
  )
