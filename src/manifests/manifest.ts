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
  /** The line of a field, or of the closest thing around it that is there. */
  readonly lineOf: (path: FieldPath) => number
}

/** A `Behaviour` document, not looked into: that is for who knows behaviours. */
export interface BehaviourManifest extends Place {
  readonly value: unknown
  readonly lineOf: (path: FieldPath) => number
}

/** Where something is: documents count from 1, also those that are empty, and so do lines. */
export interface Place {
  readonly file: string
  /** 0 where the file as a whole is meant. */
  readonly document: number
  /** 0 where there is no text. */
  readonly line: number
}

/** What is wrong at one place. */
export interface ManifestProblem extends Place {
  readonly message: string
}

/** `web.yaml:12 (document 2): what is wrong` */
export const problemText = ({ file, document, line, message }: ManifestProblem): string =>
  `${file}${line === 0 ? "" : `:${line}`}${document === 0 ? "" : ` (document ${document})`}: ${message}`

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
