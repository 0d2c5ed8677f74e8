import { expect, it } from "vitest"
import { validateCreate, validateUpdate, withDefaults } from "../../../../src/kubernetes/admission/admit.ts"
import { apiVersionOf } from "../../../../src/kubernetes/meta/kinds.ts"
import { kindNamed, type LooseDraft } from "../../../builders.ts"
import { edited, deepFrozen, errorTexts, type Edit, type ErrorRow } from "../drafts.ts"

/** A draft of a kind with the fields beside its metadata. */
export const aDraft = (kindName: string, name: string, more: object): LooseDraft => {
  const kind = kindNamed(kindName)
  const metadata = kind.namespaced ? { name, namespace: "shop" } : { name }
  return { apiVersion: apiVersionOf(kind), kind: kindName, metadata, ...more }
}

const kindOf = ({ kind }: LooseDraft) => kindNamed(kind)

/** All errors of a new object, with the defaults of its kind. */
export const createErrors = (draft: LooseDraft, ...edits: ReadonlyArray<Edit>): ReadonlyArray<string> => {
  const kind = kindOf(draft)
  return errorTexts(validateCreate(kind, withDefaults(kind, deepFrozen(edited(draft, ...edits)))))
}

/** All errors of a change of a stored object. */
export const updateErrors = (stored: LooseDraft, ...edits: ReadonlyArray<Edit>): ReadonlyArray<string> => {
  const kind = kindOf(stored)
  const [old, next] = [stored, edited(stored, ...edits)].map((draft) => withDefaults(kind, deepFrozen(draft)))
  return old === undefined || next === undefined ? [] : errorTexts(validateUpdate(kind, next, old))
}

export const refusesNew = (draft: LooseDraft, rows: ReadonlyArray<ErrorRow>): void => {
  it.each(rows)("$why", ({ edits, errors }) => {
    expect(createErrors(draft, ...edits)).toEqual(errors)
  })
}

export const refusesChange = (stored: LooseDraft, rows: ReadonlyArray<ErrorRow>): void => {
  it.each(rows)("$why", ({ edits, errors }) => {
    expect(updateErrors(stored, ...edits)).toEqual(errors)
  })
}
