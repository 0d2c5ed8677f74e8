import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { deeds } from "./recordings.ts"
import type { RecordedStep, Recording } from "./recordings.ts"

/** A file of recordings that cannot be read as such, and where. */
export class BadRecordings extends Error {
  override readonly name = "BadRecordings"
}

/**
 * The recordings in files, one a line, and in the `.jsonl` files of folders, in the order of their names.
 * Throws `BadRecordings` for what is not there, has no story in it, is not JSON or cannot be played.
 */
export const readRecordings = (paths: ReadonlyArray<string>): ReadonlyArray<Recording> =>
  paths.flatMap(filesAt).flatMap((file) => {
    const stories = readText(file)
      .split("\n")
      .flatMap((line, index) => (line.trim() === "" ? [] : [readLine(line, `${file}:${index + 1}`)]))
    if (stories.length === 0) throw new BadRecordings(`${file}: no story is in it`)
    return stories
  })

const filesAt = (path: string): ReadonlyArray<string> => {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [path]
  const files = readdirSync(path).filter((name) => name.endsWith(".jsonl"))
  if (files.length === 0) throw new BadRecordings(`${path}: no .jsonl file is in this folder`)
  return files.sort().map((name) => join(path, name))
}

const isFilled = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const readText = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    throw new BadRecordings(`${file}: no such file, or it cannot be read`)
  }
}

const readLine = (line: string, where: string): Recording => {
  let story: unknown
  try {
    story = JSON.parse(line)
  } catch {
    throw new BadRecordings(`${where}: not JSON`)
  }
  if (!isRecording(story)) {
    throw new BadRecordings(`${where}: not a story: an "id" and "steps" that say what to "do", and "then"`)
  }
  for (const [index, step] of story.steps.entries()) {
    const problem = problemOf(step)
    if (problem !== undefined) throw new BadRecordings(`${where}: step ${index + 1}: ${problem}`)
  }
  return story
}

/** What is wrong with a step, in words; undefined for one that can be played. */
const problemOf = (step: RecordedStep): string | undefined => {
  if (!deeds.has(step.do)) return `nobody knows how to ${JSON.stringify(step.do)}`
  const unread = Object.entries(step).find(([field, value]) => shapes[field]?.(value) === false)
  if (unread !== undefined) return `"${unread[0]}" cannot be ${JSON.stringify(unread[1])}`
  const missing = (needed[step.do] ?? []).find((field) => step[field] === undefined)
  if (missing !== undefined) return `${step.do} without "${missing}"`
  const { deployment = {} } = step
  const strange = Object.entries(deployment).find(
    ([field, value]) => deploymentShapes[field]?.(value) === false
  )
  if (strange !== undefined) return `"deployment.${strange[0]}" cannot be ${JSON.stringify(strange[1])}`
  return step.deployment !== undefined && step.deployment.v === undefined
    ? '"deployment" without "v"'
    : undefined
}

type Shape = (value: unknown) => boolean

const isCount: Shape = (value) => Number.isSafeInteger(value) && Number(value) >= 0
const isSeconds: Shape = (value) => typeof value === "number" && value >= 0
const isOneOf =
  (...values: ReadonlyArray<unknown>): Shape =>
  (value) =>
    values.includes(value)
const isAmount: Shape = (value) => isCount(value) || (typeof value === "string" && /^\d+%$/.test(value))

const shapes: Readonly<Record<string, Shape>> = {
  deployment: isFilled,
  v: isCount,
  n: isCount,
  replicas: isCount,
  seconds: isSeconds,
  propagationPolicy: isOneOf("Background", "Foreground", "Orphan"),
  at: isSeconds,
  seenAt: isSeconds
}

const deploymentShapes: Readonly<Record<string, Shape>> = {
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

const needed: Readonly<Record<string, ReadonlyArray<keyof RecordedStep>>> = {
  create: ["deployment"],
  update: ["deployment"],
  scaleReplicaSet: ["v", "replicas"],
  deleteReplicaSet: ["v"],
  sleep: ["seconds"]
}

const isRecording = (story: unknown): story is Recording =>
  isFilled(story) &&
  typeof story["id"] === "string" &&
  Array.isArray(story["steps"]) &&
  story["steps"].length > 0 &&
  story["steps"].every(
    (step) => isFilled(step) && typeof step["do"] === "string" && typeof step["then"] === "object"
  )
