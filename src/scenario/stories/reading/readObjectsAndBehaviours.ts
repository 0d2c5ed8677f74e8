import { behaviourToDocument, decodeBehaviour } from "../../../behaviours/decodeBehaviour.ts"
import { isFields } from "../../../kubernetes/meta/fields.ts"
import { builtInBehaviours } from "../../../behaviours/builtInBehaviours.ts"
import { readManifests, readEmbeddedManifests } from "../../../manifests/readManifests.ts"
import type { Behaviour } from "../../../behaviours/behaviour.ts"
import { parseFieldPath, type DocumentPath } from "../../../kubernetes/meta/text/fieldPath.ts"
import type { SchemaFinding } from "../../../behaviours/schemaFindings.ts"
import type { ManifestDocument, TextPosition } from "../../../manifests/manifestDocument.ts"
import type { StoryProblem } from "../storyRefused.ts"
import { withDefinedKinds, type ServedKinds } from "../../../manifests/definedKinds.ts"
import { parseYamlDocuments, type YamlDocument } from "../../../manifests/yamlDocuments.ts"

type NamedFiles = ReadonlyMap<string, NamedFile>

export type NamedFile =
  | { readonly path: string; readonly text: string }
  | { readonly path: string; readonly why: string }

export interface StoryReading {
  /** Problems in the story itself. */
  readonly findings: Array<SchemaFinding>
  /** Problems in the files that the story names. */
  readonly problems: Array<StoryProblem>
  readonly behaviours: Array<Behaviour>
  /** The kinds that a cluster serves with the manifests read so far. */
  kinds: ServedKinds
}

export interface StorySource {
  readonly file: string
  readonly files: NamedFiles
  readonly document: YamlDocument
}

/** A file name is every text that stands where objects or behaviours may. */
export const namedFilesOf = (document: unknown): ReadonlyArray<string> => {
  const spec = isFields(document) && isFields(document["spec"]) ? document["spec"] : {}
  const steps: ReadonlyArray<unknown> = Array.isArray(spec["steps"]) ? spec["steps"] : []
  const appliedValues = steps.map((step) => (isFields(step) ? step["apply"] : undefined))
  const texts = [spec["start"], spec["behaviours"], ...appliedValues]
    .flat()
    .filter((value): value is string => typeof value === "string")
  return [...new Set(texts)]
}

/** `value`: file names, objects, or a list of both. Undefined if some could not be read. */
export const readStoryObjects = (
  value: unknown,
  path: DocumentPath,
  source: StorySource,
  reading: StoryReading
): ReadonlyArray<ManifestDocument> | undefined => {
  if (value === undefined) return []
  const documents: Array<ManifestDocument> = []
  const problemsBefore = reading.findings.length + reading.problems.length
  const isList = Array.isArray(value)
  const items: ReadonlyArray<unknown> = isList ? value : [value]
  // A definition may come after its custom resources.
  reading.kinds = withDefinedKinds(reading.kinds, () => items.flatMap((item) => valuesOf(item, source)))
  for (const [index, item] of items.entries()) {
    const itemPath = isList ? [...path, index] : path
    if (typeof item === "string") documents.push(...readNamedFile(item, itemPath, source, reading))
    else if (isFields(item)) documents.push(...readObject(item, itemPath, source, reading))
    else reading.findings.push({ path: itemPath, message: "must be a file or an object", fieldPart: "value" })
  }
  return reading.findings.length + reading.problems.length === problemsBefore ? documents : undefined
}

const valuesOf = (item: unknown, { files }: StorySource): ReadonlyArray<unknown> => {
  const file = typeof item === "string" ? files.get(item) : undefined
  if (file === undefined) return [item]
  return "text" in file ? parseYamlDocuments(file.text).documents.map(({ value }) => value) : []
}

const readNamedFile = (
  name: string,
  path: DocumentPath,
  source: StorySource,
  reading: StoryReading
): ReadonlyArray<ManifestDocument> => {
  const file = findFile(name, path, source, reading)
  if (file === undefined) return []
  const { documents, behaviours, problems } = readManifests([{ name: file.path, text: file.text }], {
    strict: true,
    kinds: reading.kinds
  })
  for (const { line, column, message } of problems)
    reading.problems.push({ file: file.path, line, column, message })
  for (const { value, placeOf } of behaviours) {
    const decoded = decodeBehaviour(value)
    if (decoded.ok) addBehaviour(decoded.behaviour, path, reading)
    else
      for (const problem of decoded.problems) {
        const position = placeOf(parseFieldPath(problem.path))
        reading.problems.push({
          file: file.path,
          ...position,
          message: `${problem.path} ${problem.message}`.trim()
        })
      }
  }
  return documents
}

const findFile = (name: string, path: DocumentPath, { files }: StorySource, { findings }: StoryReading) => {
  const file = files.get(name)
  if (file !== undefined && "text" in file) return file
  const message =
    file === undefined
      ? "must be an object: only stories in YAML name files"
      : `names the file ${JSON.stringify(name)}: ${file.why}`
  findings.push({ path, message, fieldPart: "value" })
  return undefined
}

const readObject = (
  value: unknown,
  path: DocumentPath,
  { file, document }: StorySource,
  { findings, kinds }: StoryReading
): ReadonlyArray<ManifestDocument> => {
  // Problems have lines, and a story needs field paths: a line is a position in `paths`, from 1.
  const paths: Array<DocumentPath> = [path]
  const placeOf = (itemPath: DocumentPath): TextPosition => ({
    line: paths.push([...path, ...itemPath]),
    column: 1
  })
  const duplicates = document.duplicates
    .filter((duplicate) => path.every((part, index) => duplicate.path[index] === part))
    .map((duplicate) => duplicate.path.slice(path.length))
    .map((itemPath) => ({ path: itemPath, ...placeOf(itemPath) }))
  const { document: documentNumber } = document
  const startPosition = { document: documentNumber, line: 1, column: 1 }
  const result = readEmbeddedManifests(file, [{ ...startPosition, value, duplicates, placeOf }], { kinds })
  for (const { line, message } of result.problems)
    findings.push({ path: paths[line - 1] ?? path, message, fieldPart: "name", isFullSentence: true })
  for (const _ of result.behaviours)
    findings.push({ path, message: "is a Behaviour, which belongs to behaviours", fieldPart: "value" })
  const position = document.placeOf(path)
  return result.documents.map((manifest) => ({
    ...manifest,
    ...position,
    placeOf: (itemPath) => document.placeOf([...path, ...itemPath])
  }))
}

/** `value`: file names, behaviours as objects or documents, or a list of these. */
export const readBehaviours = (
  value: unknown,
  path: DocumentPath,
  source: StorySource,
  reading: StoryReading
): void => {
  if (value === undefined) return
  const isList = Array.isArray(value)
  const items: ReadonlyArray<unknown> = isList ? value : [value]
  for (const [index, item] of items.entries()) {
    const itemPath = isList ? [...path, index] : path
    if (typeof item === "string") {
      for (const { kind } of readNamedFile(item, itemPath, source, reading)) {
        const message = `names a file with a ${kind.kind}, and only Behaviours are expected in it`
        reading.findings.push({ path: itemPath, message, fieldPart: "value" })
      }
    } else {
      const behaviour = readBehaviour(item, itemPath, reading)
      if (behaviour !== undefined) addBehaviour(behaviour, itemPath, reading)
    }
  }
}

export const readBehaviour = (
  item: unknown,
  path: DocumentPath,
  { findings }: StoryReading
): Behaviour | undefined => {
  if (!isFields(item)) {
    findings.push({ path, message: "must be a behaviour, or the name of one", fieldPart: "value" })
    return undefined
  }
  const isDocument = "spec" in item
  const decoded = decodeBehaviour(isDocument ? item : behaviourToDocument(item as object as Behaviour))
  if (decoded.ok) return decoded.behaviour
  for (const problem of decoded.problems) {
    // A behaviour that is no document has neither `metadata` nor `spec`.
    const field = isDocument ? problem.path : problem.path.replace(/^(?:metadata|spec)\./u, "")
    findings.push({ path: [...path, ...parseFieldPath(field)], message: problem.message, fieldPart: "value" })
  }
  return undefined
}

const addBehaviour = (
  behaviour: Behaviour,
  path: DocumentPath,
  { behaviours, findings }: StoryReading
): void => {
  if (behaviours.some(({ name }) => name === behaviour.name)) {
    const message = `is a second behaviour of the name ${JSON.stringify(behaviour.name)}`
    findings.push({ path, message, fieldPart: "value" })
  } else behaviours.push(behaviour)
}

export const behaviourNames = ({ behaviours }: StoryReading): ReadonlyArray<string> =>
  [...behaviours, ...builtInBehaviours].map(({ name }) => name)
