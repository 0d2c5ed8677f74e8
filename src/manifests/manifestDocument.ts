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
  /** The fields as in the file, nulls included, with the namespace; kubectl keeps these as last applied. */
  readonly rawFields: Fields
  /** Position of a field, or of its closest ancestor that exists. */
  readonly placeOf: (path: DocumentPath) => TextPosition
  /** Whether the server merges it, as with `kubectl apply --server-side`: no annotation holds what was applied last. */
  readonly serverSide?: boolean
}

/** The document without uid and resource version, by which it would match only the object that it was read from. */
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

/** A document of the kind Behaviour, which says how Pods live. It is no object of the cluster. */
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
  /** Number of the document in the file, counting empty ones, from 1; 0 for the whole file. */
  readonly document: number
}

export const noPosition: TextPosition = { line: 0, column: 0 }

export interface ManifestProblem extends SourceLocation {
  readonly message: string
}

/** `web.yaml:12:3`, or `manifest (document 2)` without a source text. */
export const locationText = ({ file, document, line, column }: SourceLocation): string => {
  if (line > 0) return `${file}:${line}:${column}`
  return document === 0 ? file : `${file} (document ${document})`
}

export const problemText = (problem: ManifestProblem): string =>
  `${locationText(problem)}: ${problem.message}`
