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
 * Throws `BadRecordings` for what is not there, is not JSON or is not a story.
 */
export const readRecordings = (paths: ReadonlyArray<string>): ReadonlyArray<Recording> =>
  paths.flatMap(filesAt).flatMap((file) =>
    readText(file)
      .split("\n")
      .flatMap((line, index) => (line.trim() === "" ? [] : [readLine(line, `${file}:${index + 1}`)]))
  )

const filesAt = (path: string): ReadonlyArray<string> => {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [path]
  const files = readdirSync(path).filter((name) => name.endsWith(".jsonl"))
  if (files.length === 0) throw new BadRecordings(`${path}: no .jsonl file is in this folder`)
  return files.sort().map((name) => join(path, name))
}

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

const problemOf = (step: RecordedStep): string | undefined => {
  if (!deeds.has(step.do)) return `nobody knows how to ${JSON.stringify(step.do)}`
  const isOfDeployment = step.do === "create" || step.do === "update"
  return isOfDeployment && step.deployment === undefined ? `${step.do} without a "deployment"` : undefined
}

const isRecording = (story: unknown): story is Recording =>
  isFilled(story) &&
  typeof story["id"] === "string" &&
  Array.isArray(story["steps"]) &&
  story["steps"].every(
    (step) => isFilled(step) && typeof step["do"] === "string" && typeof step["then"] === "object"
  )

const isFilled = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null
