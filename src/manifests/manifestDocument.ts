import { fieldsOrEmpty } from "../kubernetes/meta/fields.ts"
import type { Fields } from "../kubernetes/meta/fields.ts"
import type { DocumentPath } from "../kubernetes/meta/text/fieldPath.ts"
import type { Kind } from "../kubernetes/meta/kinds.ts"
import type { Draft } from "../kubernetes/meta/objects.ts"
import type { KubeObject } from "../kubernetes/meta/objects.ts"

export interface AppliedDocument {
  readonly outcome: "created" | "configured" | "unchanged"
  readonly object: KubeObject
  readonly document: ManifestDocument
}

export interface ManifestDocument extends SourceLocation {
  readonly kind: Kind
  readonly draft: Draft
  /** The fields of the file, nulls included, with the namespace. */
  readonly rawFields: Fields
  /** A missing field has the position of its closest ancestor that exists. */
  readonly placeOf: (path: DocumentPath) => TextPosition
  /** Whether the server merges the object, as with `kubectl apply --server-side`. */
  readonly serverSide?: boolean
}

/** With uid and resource version, the document would match only the object that it was read from. */
export const withoutIdentity = (document: ManifestDocument): ManifestDocument => {
  const { uid, resourceVersion, ...metadata } = document.draft.metadata
  if (uid === undefined && resourceVersion === undefined) return document
  const {
    uid: _uid,
    resourceVersion: _version,
    ...rawMetadata
  } = fieldsOrEmpty(document.rawFields["metadata"])
  return {
    ...document,
    draft: { ...document.draft, metadata },
    rawFields: { ...document.rawFields, metadata: rawMetadata }
  }
}

/** A document that says how Pods live; it is no object of the cluster. */
export interface BehaviourManifest extends SourceLocation {
  readonly value: unknown
  readonly placeOf: (path: DocumentPath) => TextPosition
}

/** Line and column count from 1; both are 0 without a source text. */
export interface TextPosition {
  readonly line: number
  readonly column: number
}

export interface SourceLocation extends TextPosition {
  readonly file: string
  /** Counts from 1, empty documents included; 0 for the whole file. */
  readonly document: number
}

export const noPosition: TextPosition = { line: 0, column: 0 }

export interface ManifestProblem extends SourceLocation {
  readonly message: string
}

export const locationText = ({ file, document, line, column }: SourceLocation): string => {
  if (line > 0) return `${file}:${line}:${column}`
  return document === 0 ? file : `${file} (document ${document})`
}

export const problemText = (problem: ManifestProblem): string =>
  `${locationText(problem)}: ${problem.message}`

/** The API server has a line for each wrong field. */
export const problemLines = (problem: ManifestProblem): ReadonlyArray<string> =>
  problemText(problem).split("\n")
