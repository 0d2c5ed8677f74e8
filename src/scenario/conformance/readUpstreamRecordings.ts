import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { upstreamStepActions } from "./upstreamRecording.ts"
import type { UpstreamStep, UpstreamRecording } from "./upstreamRecording.ts"

export class UnreadableUpstreamRecordings extends Error {
  override readonly name = "UnreadableUpstreamRecordings"
}

/** One recording a line, from files and from the `.jsonl` files of folders. Throws `UnreadableUpstreamRecordings`. */
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

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

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
  for (const [index, step] of recording.steps.entries()) {
    const problem = problemOf(step)
    if (problem !== undefined)
      throw new UnreadableUpstreamRecordings(`${location}: step ${index + 1}: ${problem}`)
  }
  return recording
}

const problemOf = (step: UpstreamStep): string | undefined => {
  if (!upstreamStepActions.has(step.do)) return `unknown action ${JSON.stringify(step.do)}`
  const invalidField = Object.entries(step).find(([field, value]) => stepFields[field]?.(value) === false)
  if (invalidField !== undefined) return `"${invalidField[0]}" cannot be ${JSON.stringify(invalidField[1])}`
  const missingField = (requiredFields[step.do] ?? []).find((field) => step[field] === undefined)
  if (missingField !== undefined) return `${step.do} without "${missingField}"`
  const { deployment = {} } = step
  const invalidDeploymentField = Object.entries(deployment).find(
    ([field, value]) => deploymentFields[field]?.(value) === false
  )
  if (invalidDeploymentField !== undefined)
    return `"deployment.${invalidDeploymentField[0]}" cannot be ${JSON.stringify(invalidDeploymentField[1])}`
  return step.deployment !== undefined && step.deployment.v === undefined
    ? '"deployment" without "v"'
    : undefined
}

type FieldCheck = (value: unknown) => boolean

const isCount: FieldCheck = (value) => Number.isSafeInteger(value) && Number(value) >= 0
const isSeconds: FieldCheck = (value) => typeof value === "number" && value >= 0
const isOneOf =
  (...values: ReadonlyArray<unknown>): FieldCheck =>
  (value) =>
    values.includes(value)
const isAmount: FieldCheck = (value) => isCount(value) || (typeof value === "string" && /^\d+%$/.test(value))

const stepFields: Readonly<Record<string, FieldCheck>> = {
  deployment: isFields,
  // Version of the Pod template.
  v: isCount,
  n: isCount,
  replicas: isCount,
  seconds: isSeconds,
  propagationPolicy: isOneOf("Background", "Foreground", "Orphan"),
  at: isSeconds,
  seenAt: isSeconds
}

const deploymentFields: Readonly<Record<string, FieldCheck>> = {
  replicas: isCount,
  strategy: isOneOf("RollingUpdate", "Recreate"),
  maxSurge: isAmount,
  maxUnavailable: isAmount,
  paused: isOneOf(true, false),
  minReadySeconds: isCount,
  progressDeadlineSeconds: isCount,
  revisionHistoryLimit: isCount,
  v: isCount
}

const requiredFields: Readonly<Record<string, ReadonlyArray<keyof UpstreamStep>>> = {
  create: ["deployment"],
  update: ["deployment"],
  scaleReplicaSet: ["v", "replicas"],
  deleteReplicaSet: ["v"],
  sleep: ["seconds"]
}

const isRecording = (value: unknown): value is UpstreamRecording =>
  isFields(value) &&
  typeof value["id"] === "string" &&
  Array.isArray(value["steps"]) &&
  value["steps"].length > 0 &&
  value["steps"].every(
    (step) => isFields(step) && typeof step["do"] === "string" && typeof step["then"] === "object"
  )
