import { isFields, type Fields } from "../kubernetes/meta/fields.ts"
import { behaviourApiVersion } from "../behaviours/behaviour.ts"
import { decodeObject } from "../kubernetes/admission/decoding/decodeObject.ts"
import { builtInKinds, groupResourceOf, type Kind, type ObjectTypeMeta } from "../kubernetes/meta/kinds.ts"
import { placeInNamespace } from "../kubernetes/admission/placeInNamespace.ts"
import {
  itemsOfList,
  readListType,
  typesOnlyRefusedDefine,
  typeText,
  withDefinedKinds,
  type ServedKinds
} from "./definedKinds.ts"
import { hasKind, refusedObject } from "./refusedObjects.ts"
import { skippedType } from "./skippedTypes.ts"
import { formatFieldPath, parseFieldPath } from "../kubernetes/meta/text/fieldPath.ts"
import { noPosition, locationText } from "./manifestDocument.ts"
import { parseYamlDocuments, type YamlDocument } from "./yamlDocuments.ts"
import { goQuote } from "../kubernetes/meta/text/goQuote.ts"
import type {
  BehaviourManifest,
  ManifestDocument,
  ManifestProblem,
  SourceLocation,
  TextPosition
} from "./manifestDocument.ts"
import type { DecodeFailure } from "../kubernetes/admission/decoding/decodeObject.ts"
import type { RefusedObject } from "./refusedObjects.ts"
import type { DocumentPath } from "../kubernetes/meta/text/fieldPath.ts"

interface Manifests {
  readonly documents: ReadonlyArray<ManifestDocument>
  readonly behaviours: ReadonlyArray<BehaviourManifest>
  readonly problems: ReadonlyArray<ManifestProblem>
  readonly warnings: ReadonlyArray<ManifestProblem>
  readonly skippedTypes: ReadonlyArray<ObjectTypeMeta>
  /** Objects that cannot be read, if `toleratesRefused`; otherwise they are among the problems. */
  readonly refused: ReadonlyArray<RefusedObject>
  readonly kinds: ServedKinds
}

interface ReadOptions {
  /** The namespace of objects that name none; default: `default`. */
  readonly namespace?: string | undefined
  /** Kinds that the cluster already serves; default: the built-in ones. */
  readonly kinds?: ServedKinds | undefined
  readonly skipsCustomResources?: boolean
  /** With these, objects of versions that Kubernetes has removed; workloads are problems all the same. */
  readonly skipsRemovedVersions?: boolean
  /** Whether an object stays in the result although a later document replaces it. */
  readonly keepsReplaced?: boolean
  /** Whether the other objects are used although one cannot be read. */
  readonly toleratesRefused?: boolean
  /** Whether the server merges the objects, as with `kubectl apply --server-side`. */
  readonly serverSide?: boolean
}

/** The request limit of an API server. */
const objectBytesMax = 3 * 1024 * 1024
/** Longer messages of the decoder are cut. */
const messageLengthMax = 1000

/**
 * Unknown fields are problems with `strict`, otherwise warnings. The last of duplicate fields or objects holds,
 * with a warning, as with kubectl; `refusesDuplicates` makes them problems.
 */
export const readManifests = (
  files: ReadonlyArray<{ readonly name: string; readonly text: string }>,
  {
    refusesDuplicates = false,
    ...options
  }: ReadOptions & { readonly strict: boolean; readonly refusesDuplicates?: boolean }
): Manifests => {
  const parsedFiles = files.map(({ name, text }) => ({ name, ...parseYamlDocuments(text) }))
  const values = parsedFiles.flatMap(({ documents }) => documents.map(({ value }) => value))
  const reading = startReading({ ...options, refusesDuplicates }, values)
  const emptyFiles: Array<ManifestProblem> = []
  for (const { name, documents, problems } of parsedFiles) {
    reading.stoppedAt = undefined
    for (const part of [...documents, ...problems].toSorted((a, b) => a.document - b.document)) {
      if ("message" in part) refuse(reading, undefined, { file: name, ...part })
      else readDocument(reading, name, part)
    }
    if (documents.length === 0 && problems.length === 0) {
      emptyFiles.push({ file: name, document: 0, ...noPosition, message: "there is no object in this file" })
    }
  }
  // A file without objects is only a problem if no file has objects.
  const findings = emptyFiles.length === files.length ? reading.problems : reading.warnings
  findings.push(...emptyFiles)
  skipOrRefuse(reading)
  return reading
}

export const readManifestObjects = (drafts: ReadonlyArray<unknown>, options: ReadOptions = {}): Manifests =>
  readEmbeddedManifests(
    "manifest",
    drafts.map((value, index) => ({
      document: index + 1,
      ...noPosition,
      value,
      duplicates: [],
      placeOf: () => noPosition
    })),
    options
  )

/** Reads objects embedded in another document, at their positions there. Refuses unknown fields. */
export const readEmbeddedManifests = (
  file: string,
  values: ReadonlyArray<YamlDocument>,
  options: ReadOptions = {}
): Manifests => {
  const reading = startReading(
    { ...options, strict: true, refusesDuplicates: true },
    values.map(({ value }) => value)
  )
  for (const value of values) readDocument(reading, file, value)
  skipOrRefuse(reading)
  return reading
}

interface ReadingRules {
  readonly strict: boolean
  readonly refusesDuplicates: boolean
  readonly serverSide: boolean
}

interface ManifestReading extends ReadingRules {
  readonly namespace: string
  readonly kinds: ServedKinds
  /** Those that no document defines. */
  readonly kindsBefore: ServedKinds
  readonly skipsCustomResources: boolean
  readonly skipsRemovedVersions: boolean
  readonly keepsReplaced: boolean
  readonly toleratesRefused: boolean
  readonly skippable: Array<SkippableDocument>
  readonly skippedTypes: Array<ObjectTypeMeta>
  readonly refused: Array<RefusedObject>
  readonly documents: Array<ManifestDocument>
  readonly behaviours: Array<BehaviourManifest>
  readonly problems: Array<ManifestProblem>
  readonly warnings: Array<ManifestProblem>
  readonly indexByObject: Map<string, number>
  /** The document behind which `kubectl apply` reads no more of the file. */
  stoppedAt: ManifestProblem | undefined
}

interface SkippableDocument {
  readonly type: ObjectTypeMeta
  readonly source: YamlDocument
  readonly location: SourceLocation
}

const startReading = (
  {
    strict,
    refusesDuplicates,
    serverSide = false,
    namespace = "default",
    kinds = builtInKinds,
    skipsCustomResources = false,
    skipsRemovedVersions = false,
    keepsReplaced = false,
    toleratesRefused = false
  }: ReadOptions & Pick<ReadingRules, "strict" | "refusesDuplicates">,
  values: ReadonlyArray<unknown>
): ManifestReading => ({
  strict,
  refusesDuplicates,
  serverSide,
  namespace,
  kinds: withDefinedKinds(kinds, () => values),
  kindsBefore: kinds,
  skipsCustomResources,
  skipsRemovedVersions,
  keepsReplaced,
  toleratesRefused,
  skippable: [],
  skippedTypes: [],
  refused: [],
  documents: [],
  behaviours: [],
  problems: [],
  warnings: [],
  indexByObject: new Map(),
  stoppedAt: undefined
})

const encoder = new TextEncoder()

/** Each object is a request of its own, so the limit holds for objects, not for files. */
const objectSizeProblem = (value: unknown): string | undefined => {
  const text = JSON.stringify(value)
  // A UTF-16 code unit has at most three bytes in UTF-8.
  if (text.length * 3 <= objectBytesMax) return undefined
  const bytes = encoder.encode(text).length
  return bytes <= objectBytesMax ? undefined : `Request entity too large: limit is ${objectBytesMax}`
}

const readDocument = (reading: ManifestReading, file: string, source: YamlDocument): void => {
  const { value, duplicates, document, line, column, placeOf } = source
  const location = { file, document, line, column }
  if (value === undefined) {
    reading.problems.push({
      ...location,
      message: "an object or a text of YAML is needed here, not undefined"
    })
    return
  }
  const { apiVersion, kind } = isFields(value) ? value : {}
  const listType = readListType(value, reading.kinds)
  if (listType !== undefined)
    return readList(reading, location, { source, items: itemsOfList(value, listType) })
  if (apiVersion === behaviourApiVersion && kind === "Behaviour") {
    if (acceptDuplicates(reading, location, source)) {
      reading.behaviours.push({ ...location, value, placeOf })
    }
    return
  }
  const type = reading.skipsCustomResources
    ? skippedType(value, { skipsRemoved: reading.skipsRemovedVersions })
    : undefined
  if (type !== undefined) return void reading.skippable.push({ type, source, location })
  if (reading.stoppedAt !== undefined) return refuseUnreached(reading, value, location)
  const sizeProblem = objectSizeProblem(value)
  if (sizeProblem !== undefined) return refuse(reading, value, { ...location, message: sizeProblem })
  if (!reading.refusesDuplicates) warnOfDuplicates(reading, location, duplicates)
  const duplicateFields = reading.refusesDuplicates ? duplicates.map(({ path }) => formatFieldPath(path)) : []
  const decoded = decodeObject(value, {
    strict: reading.strict,
    duplicates: duplicateFields,
    kinds: reading.kinds
  })
  if (!decoded.ok) return refuseUndecoded(reading, location, { source, decoded })
  for (const warning of decoded.warnings) {
    reading.warnings.push({ ...atPosition(location, placeOf(pathInWarning(warning))), message: warning })
  }
  const draft = placeInNamespace(decoded.kind, decoded.object, reading.namespace)
  const rawFields = withNamespace(isFields(value) ? value : {}, decoded.kind, reading.namespace)
  addDocument(reading, {
    ...location,
    kind: decoded.kind,
    draft,
    rawFields,
    placeOf,
    ...(reading.serverSide ? { serverSide: true } : {})
  })
}

const refuseUndecoded = (
  reading: ManifestReading,
  location: SourceLocation,
  { source, decoded }: { readonly source: YamlDocument; readonly decoded: DecodeFailure }
): void => {
  const { value, duplicates, placeOf } = source
  const position = decoded.path === undefined ? duplicates[0] : placeOf(decoded.path)
  refuse(reading, value, { ...atPosition(location, position), message: shorten(decoded.message) })
}

/** kubectl finds no match for a custom resource of which the server refuses the definition. */
const skipOrRefuse = (reading: ManifestReading): void => {
  const { skippable, toleratesRefused, kindsBefore: kinds } = reading
  const undefinedTypes = toleratesRefused && skippable.length > 0 ? typesOnlyRefusedDefine(reading) : []
  for (const { type, source, location } of skippable) {
    const isUndefined = undefinedTypes.includes(typeText(type))
    const decoded = isUndefined ? decodeObject(source.value, { strict: false, kinds }) : undefined
    if (decoded === undefined || decoded.ok) reading.skippedTypes.push(type)
    else refuseUndecoded(reading, location, { source, decoded })
  }
}

/** Source: cli-runtime/pkg/resource/visitor.go (StreamVisitor). */
const refuse = (reading: ManifestReading, value: unknown, problem: ManifestProblem): void => {
  if (!reading.toleratesRefused) return void reading.problems.push(problem)
  reading.refused.push(refusedObject(value, problem, reading))
  if (!hasKind(value)) reading.stoppedAt ??= problem
}

const refuseUnreached = (reading: ManifestReading, value: unknown, location: SourceLocation): void => {
  const stop = reading.stoppedAt === undefined ? "" : `: it stops at ${locationText(reading.stoppedAt)}`
  refuse(reading, value, { ...location, message: `kubectl apply does not reach it${stop}` })
}

const readList = (
  reading: ManifestReading,
  location: SourceLocation,
  { source, items }: { readonly source: YamlDocument; readonly items: ReadonlyArray<unknown> | undefined }
): void => {
  const listDuplicates = source.duplicates.filter(({ path }) => path.length === 1)
  if (!acceptDuplicates(reading, location, { ...source, duplicates: listDuplicates })) return
  if (items === undefined) {
    const kind = isFields(source.value) ? String(source.value["kind"]) : ""
    const message = `${cannotHandleText(kind)}: items is no list`
    return refuse(reading, undefined, { ...atPosition(location, source.placeOf(["items"])), message })
  }
  const entries = [...items.entries()]
  // One item without a kind keeps kubectl from all of the list.
  if (reading.toleratesRefused) entries.sort(([, a], [, b]) => Number(hasKind(a)) - Number(hasKind(b)))
  for (const [index, value] of entries) {
    const duplicates = source.duplicates
      .filter(({ path }) => path[0] === "items" && path[1] === index)
      .map(({ path, ...position }) => ({ path: path.slice(2), ...position }))
    const placeOf: YamlDocument["placeOf"] = (path, nameOrValue) =>
      source.placeOf(["items", index, ...path], nameOrValue)
    readDocument(reading, location.file, {
      document: location.document,
      ...placeOf([]),
      value,
      duplicates,
      placeOf
    })
  }
}

/** Returns false if duplicate fields make the document invalid. */
const acceptDuplicates = (
  reading: ManifestReading,
  location: SourceLocation,
  source: YamlDocument
): boolean => {
  const { duplicates, value } = source
  const [first] = duplicates
  if (first === undefined) return true
  if (!reading.refusesDuplicates || !reading.strict) {
    warnOfDuplicates(reading, location, duplicates)
    return true
  }
  const fields = duplicates.map(({ path }) => `duplicate field ${goQuote(formatFieldPath(path))}`).join(", ")
  const kind = isFields(value) ? String(value["kind"]) : ""
  const message = `${cannotHandleText(kind)}: strict decoding error: ${fields}`
  reading.problems.push({ ...atPosition(location, first), message })
  return false
}

const warnOfDuplicates = (
  { warnings }: ManifestReading,
  location: SourceLocation,
  duplicates: YamlDocument["duplicates"]
): void => {
  for (const duplicate of duplicates) {
    const message = `duplicate field ${goQuote(formatFieldPath(duplicate.path))}: the last one holds`
    warnings.push({ ...atPosition(location, duplicate), message })
  }
}

const atPosition = (location: SourceLocation, position: TextPosition | undefined): SourceLocation =>
  position === undefined ? location : { ...location, line: position.line, column: position.column }

const cannotHandleText = (kind: string): string => `${kind} in version "v1" cannot be handled as a ${kind}`

const pathInWarning = (warning: string): DocumentPath =>
  parseFieldPath(warning.slice(warning.indexOf('"')).replaceAll('"', ""))

const shorten = (message: string): string =>
  message.length <= messageLengthMax ? message : `${message.slice(0, messageLengthMax)}…`

/** Cluster-scoped objects keep their namespace, as in kubectl's annotation. */
const withNamespace = (object: Fields, kind: Kind, defaultNamespace: string): Fields => {
  const { metadata } = object
  const { namespace, ...otherMetadata } = isFields(metadata) ? metadata : {}
  const hasNamespace = namespace !== undefined && namespace !== null && namespace !== ""
  return !kind.namespaced || hasNamespace
    ? object
    : { ...object, metadata: { ...otherMetadata, namespace: defaultNamespace } }
}

/** The second of two documents for one object is refused, or takes the place of the first. */
const addDocument = (reading: ManifestReading, document: ManifestDocument): void => {
  const { namespace = "", name = "" } = document.draft.metadata
  const object = `${groupResourceOf(document.kind)} ${goQuote(name)}`
  const objectKey = `${namespace}/${object}`
  const index = name === "" ? undefined : reading.indexByObject.get(objectKey)
  const first = index === undefined ? undefined : reading.documents[index]
  if (reading.keepsReplaced || index === undefined || first === undefined) {
    reading.indexByObject.set(objectKey, reading.documents.push(document) - 1)
    return
  }
  const firstText = first.line === 0 ? `document ${first.document}` : locationText(first)
  const { file, document: number, line, column } = document
  const location = { file, document: number, line, column }
  if (reading.refusesDuplicates) {
    reading.problems.push({ ...location, message: `${object} is given twice: first at ${firstText}` })
    return
  }
  reading.warnings.push({ ...location, message: `${object} is given twice: this one replaces ${firstText}` })
  reading.documents[index] = document
}
