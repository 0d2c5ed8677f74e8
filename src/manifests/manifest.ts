import { fieldsOf } from "../domain/fields.ts"
import type { Fields } from "../domain/fields.ts"
import type { FieldPath } from "../domain/admission/decodeFields.ts"
import type { Kind } from "../domain/kinds.ts"
import type { Draft } from "../domain/objects.ts"

/** One object of a manifest, ready to be created, and where it stands. */
export interface ManifestDocument extends Place {
  readonly kind: Kind
  /** Of the type its kind says, `namespace: default` filled in; everything else as it was written. */
  readonly draft: Draft
  /** As it was written but for that namespace, nulls and all: what `kubectl apply` remembers. */
  readonly written: Fields
  /** Where a field begins, or the closest thing around it that is there. */
  readonly placeOf: (path: FieldPath) => TextPlace
}

/**
 * The document as it may be applied to a cluster that it was not read from: it says nothing of which object it was
 * there, nor of which version.
 */
export const fromAnywhere = (document: ManifestDocument): ManifestDocument => {
  const { uid, resourceVersion, ...metadata } = document.draft.metadata
  if (uid === undefined && resourceVersion === undefined) return document
  const { uid: _uid, resourceVersion: _version, ...written } = fieldsOf(document.written["metadata"])
  return {
    ...document,
    draft: { ...document.draft, metadata },
    written: { ...document.written, metadata: written }
  }
}

/** A `Behaviour` document, not looked into: that is for who knows behaviours. */
export interface BehaviourManifest extends Place {
  readonly value: unknown
  readonly placeOf: (path: FieldPath) => TextPlace
}

/** A character of a text: lines and columns count from 1, and both are 0 where there is no text. */
export interface TextPlace {
  readonly line: number
  readonly column: number
}

/** Where something is: documents count from 1, also those that are empty. */
export interface Place extends TextPlace {
  readonly file: string
  /** 0 where the file as a whole is meant. */
  readonly document: number
}

/** Where there is no text. */
export const nowhere: TextPlace = { line: 0, column: 0 }

/** What is wrong at one place. */
export interface ManifestProblem extends Place {
  readonly message: string
}

/** `web.yaml:12:3`; `manifest (document 2)` where there is no text. */
export const placeText = ({ file, document, line, column }: Place): string => {
  if (line > 0) return `${file}:${line}:${column}`
  return document === 0 ? file : `${file} (document ${document})`
}

/** `web.yaml:12:3: what is wrong` */
export const problemText = (problem: ManifestProblem): string => `${placeText(problem)}: ${problem.message}`

/** The path of a field as messages write it: `spec.template.spec.containers[0].env[2].name`. */
export const pathOfField = (field: string): FieldPath =>
  [...field.matchAll(/\[(?<inner>[^\]]*)\]|[^.[\]]+/g)].map(({ 0: part, groups }) => {
    const inner = groups?.["inner"]
    if (inner === undefined) return part
    return /^\d+$/.test(inner) ? Number(inner) : inner
  })

export const fieldOfPath = (path: FieldPath): string =>
  path
    .map((part, index) => (typeof part === "number" ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join("")
