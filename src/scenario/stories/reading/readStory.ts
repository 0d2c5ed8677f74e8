import * as Effect from "effect/Effect"
import { readFile } from "node:fs/promises"
import { dirname, isAbsolute, join } from "node:path"
import { formatFieldPath } from "../../../kubernetes/meta/text/fieldPath.ts"
import { namedFilesOf } from "./readObjectsAndBehaviours.ts"
import { findingText } from "../../../behaviours/schemaFindings.ts"
import { deepFreezeEveryPart } from "../../../kubernetes/meta/deepFreeze.ts"
import { isFields } from "../../../kubernetes/meta/fields.ts"
import { checkStory, findVersionProblem } from "../checking/checkStory.ts"
import { parseYamlDocuments } from "../../../manifests/yamlDocuments.ts"
import { StoryRefused } from "../storyRefused.ts"
import { systemErrorText } from "../../../platform/systemErrorText.ts"
import type { SchemaFinding } from "../../../behaviours/schemaFindings.ts"
import type { NamedFile } from "./readObjectsAndBehaviours.ts"
import type { Story } from "../story.ts"
import type { StoryProblem } from "../storyRefused.ts"
import type { YamlDocument } from "../../../manifests/yamlDocuments.ts"

/** True for an invalid story as well. */
export const isStoryText = (text: string): boolean =>
  /(?:^|[{,])\s*["']?kind["']?\s*:\s*["']?Scenario\b/mu.test(text) && text.includes("charthouse.dev/")

/** Files are relative to the story's folder. Reports all problems at once. */
export const readStory = Effect.fnUntraced(function* (
  text: string,
  file: string
): Effect.fn.Return<Story, StoryRefused> {
  const { documents, problems } = parseYamlDocuments(text)
  const [document, secondDocument] = documents
  const yamlProblems = problems.map(({ line, column, message }) => ({ file, line, column, message }))
  if (yamlProblems.length > 0) return yield* new StoryRefused({ problems: yamlProblems })
  if (document === undefined)
    return yield* toStoryRefused({ file, line: 0, column: 0, message: "there is no Scenario in this file" })
  if (secondDocument !== undefined) {
    const kind = isFields(secondDocument.value) ? String(secondDocument.value["kind"]) : "something else"
    const message = `a file has one Scenario and nothing beside it, and here begins another document: ${kind}`
    return yield* toStoryRefused({ file, line: secondDocument.line, column: secondDocument.column, message })
  }
  const versionProblem = findVersionProblem(document.value)
  if (versionProblem !== undefined) {
    const path = versionProblem.field === "" ? [] : [versionProblem.field]
    return yield* toStoryRefused(
      problemOf({ path, message: versionProblem.message, fieldPart: "value" }, document, file)
    )
  }
  const files = yield* readFiles(namedFilesOf(document.value), dirname(file))
  const checked = checkStory(document.value, { file, files, document })
  const duplicateFields = document.duplicates.map(({ path }): SchemaFinding => {
    return { path, message: `duplicate field ${JSON.stringify(formatFieldPath(path))}`, fieldPart: "name" }
  })
  const problemsInStory = [
    ...duplicateFields.map((finding) => problemOf(finding, document, file)),
    ...checked.findings.map((finding) => problemOf(finding, document, file, text))
  ]
  const allProblems = [...problemsInStory.sort(byPosition), ...checked.problems]
  return allProblems.length === 0
    ? deepFreezeEveryPart(checked.story)
    : yield* new StoryRefused({ problems: allProblems })
})

const toStoryRefused = (problem: StoryProblem): StoryRefused => new StoryRefused({ problems: [problem] })

const byPosition = (a: StoryProblem, b: StoryProblem): number => a.line - b.line || a.column - b.column

/** The offset's column may not exist in a value of several lines. Without `text`, the message has no field path. */
const problemOf = (finding: SchemaFinding, document: YamlDocument, file: string, text = ""): StoryProblem => {
  const { path, fieldPart, offset = 0, message } = finding
  const position = document.placeOf(path, fieldPart)
  const length = (text.split("\n")[position.line - 1] ?? "").length
  const column = position.column + offset <= length + 1 ? position.column + offset : position.column
  return { file, line: position.line, column, message: text === "" ? message : findingText(finding) }
}

const readFiles = Effect.fnUntraced(function* (
  names: ReadonlyArray<string>,
  folder: string
): Effect.fn.Return<ReadonlyMap<string, NamedFile>> {
  const files = new Map<string, NamedFile>()
  for (const name of names) {
    const path = isAbsolute(name) ? name : join(folder, name)
    const readResult = yield* Effect.result(Effect.tryPromise(() => readFile(path, "utf8")))
    files.set(
      name,
      readResult._tag === "Success"
        ? { path, text: readResult.success.replace(/^\uFEFF/u, "") }
        : { path, why: whyUnreadable(readResult.failure.cause) }
    )
  }
  return files
})

const whyUnreadable = (cause: unknown): string =>
  cause instanceof Error && "code" in cause && cause.code === "ENOENT"
    ? "it does not exist"
    : systemErrorText(cause)
