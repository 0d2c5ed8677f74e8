import { goText } from "../../kubernetes/meta/text/goText.ts"
import { isFields } from "../../kubernetes/meta/fields.ts"
import * as Effect from "effect/Effect"
import { jsonPatch, mergePatch } from "../../kubernetes/apply/patches/jsonPatches.ts"
import { strategicMergePatch } from "../../kubernetes/apply/patches/strategicMerge.ts"
import { decodeParsedBody, parsePatch, readDryRun } from "../requests/decodeBody.ts"
import { serverSideApply, withOwnershipOnUpdate } from "./fieldOwnership.ts"
import {
  invalidRequestOptions,
  makeRefusal,
  noReason,
  unsupportedMediaType,
  badRequest
} from "../http/statuses.ts"
import { toServedKind } from "../conversion/kindConversion.ts"
import { findObject } from "./readVerbs.ts"
import { storeReplacement } from "./storeObjects.ts"
import { requireRequestName, inRequestNamespace } from "../requests/requestIdentity.ts"
import { storedKindOf } from "../../kubernetes/meta/kinds.ts"
import { refuseStalePatch } from "../../store/storeRefusals.ts"
import { goQuote } from "../../kubernetes/meta/text/goQuote.ts"
import type { Kind } from "../../kubernetes/meta/kinds.ts"
import type { PatchOutcome } from "../../kubernetes/apply/patches/jsonPatches.ts"
import type { StrategicPatchResult } from "../../kubernetes/apply/patches/strategicMerge.ts"
import type { Draft } from "../../kubernetes/meta/objects.ts"
import type { ApiAnswer, ApiCall, VerbHandler } from "../requests/apiCall.ts"
import type { ParsedBody } from "../requests/decodeBody.ts"
import type { RefusalOrStoreError } from "../http/statuses.ts"

/** Source: apiserver/pkg/endpoints/handlers/patch.go. */
export const patchVerb: VerbHandler = (call) =>
  Effect.suspend(() => {
    const dryRun = readDryRun(call.query, "PatchOptions")
    if (call.contentType === applyPatchMediaType) return serverSideApply(call, dryRun)
    refuseForceParameter(call)
    return Effect.flatMap(findObject(call), (before): Effect.Effect<ApiAnswer, RefusalOrStoreError> => {
      const { kind } = call.target
      const draft = decodePatchedObject(kind, call, toServedKind(kind, before))
      const storeError = refuseStalePatch(storedKindOf(kind), before, draft)
      if (storeError !== undefined) return Effect.fail(storeError)
      return storeReplacement(call, before, withOwnershipOnUpdate(call, before, draft), {
        dryRun,
        isPatch: true
      })
    })
  })

export const applyPatchMediaType = "application/apply-patch+yaml"

const strategicMediaType = "application/strategic-merge-patch+json"

export const refuseForceParameter = ({ contentType, query }: ApiCall): void => {
  if (contentType === applyPatchMediaType || query.text("force") === undefined) return
  const body = "Forbidden: may not be specified for non-apply patch"
  throw invalidRequestOptions("PatchOptions", [{ field: "force", reason: "FieldValueForbidden", body }])
}

/** Custom resources have no merge keys and hence no strategic merge patch. */
const patchMediaTypes = ({ custom }: Kind): ReadonlyArray<string> => [
  "application/json-patch+json",
  "application/merge-patch+json",
  ...(custom === undefined ? [strategicMediaType] : []),
  applyPatchMediaType
]

export const decodePatchedObject = (kind: Kind, call: ApiCall, before: object): Draft => {
  const { patch, value, duplicateFields } = applyPatchBody(kind, call, before)
  const decoded = decodePatchResult({ value, duplicateFields }, { kind, call, patch, before })
  return requireRequestName(inRequestNamespace(decoded, call.target), call.target)
}

interface PatchDecoding {
  readonly kind: Kind
  readonly call: ApiCall
  readonly patch: unknown
  readonly before: object
}

/** A result that does not decode is a 422 about the patch, without kind or name. */
const decodePatchResult = (body: ParsedBody, { patch, ...options }: PatchDecoding): Draft => {
  const { call } = options
  try {
    return decodeParsedBody(body, { ...options, optionsKind: "PatchOptions" })
  } catch (error) {
    if (!isBadRequest(error)) throw error
    const isStrategic = call.contentType === strategicMediaType
    const quotedValue = isStrategic ? goText(patch) : JSON.stringify(body.value)
    const problem = error.message.replace(/^.*? cannot be handled as a \w+: /, "")
    const why = isStrategic
      ? problem.replace(/^json: cannot unmarshal .* of type /, "unrecognized type: ")
      : problem
    const message = `Invalid value: ${goQuote(quotedValue)}: ${why}`
    throw makeRefusal(422, "Invalid", ` "" is invalid: patch: ${message}`, {
      causes: [{ reason: "FieldValueInvalid", message, field: "patch" }]
    })
  }
}

const isBadRequest = (error: unknown): error is Error & { readonly code: number } =>
  error instanceof Error && "code" in error && error.code === 400

interface PatchedBody extends ParsedBody {
  readonly patch: unknown
}

const applyPatchBody = (kind: Kind, call: ApiCall, before: object): PatchedBody => {
  const mediaTypes = patchMediaTypes(call.target.kind)
  const applyPatch = mediaTypes.includes(call.contentType) ? patchFunctions[call.contentType] : undefined
  if (applyPatch === undefined) throw unsupportedMediaType(mediaTypes)
  const { value, duplicateFields } = parsePatch(call.body)
  const result = applyPatch(kind, before, value)
  if (result.ok) return { value: result.value, duplicateFields, patch: value }
  switch (result.reason) {
    case "BadRequest":
      throw badRequest(result.message)
    case "RequestEntityTooLarge":
      throw makeRefusal(413, "RequestEntityTooLarge", result.message)
    case "Invalid":
      // The Status of an invalid patch has empty `details`.
      throw makeRefusal(422, "Invalid", result.message, {})
    case "InternalError":
      throw makeRefusal(500, noReason, result.message)
  }
}

type PatchResult = PatchOutcome | StrategicPatchResult

const patchFunctions: Readonly<Record<string, (kind: Kind, before: object, patch: unknown) => PatchResult>> =
  {
    "application/json-patch+json": (_kind, before, patch) => jsonPatch(before, patch),
    "application/merge-patch+json": (_kind, before, patch) =>
      isFields(patch) ? mergePatch(before, patch) : notAnObjectResult,
    [strategicMediaType]: strategicMergePatch
  }

/** RFC 7386 would replace the whole object by a list or a number. */
const notAnObjectResult: PatchResult = {
  ok: false,
  reason: "BadRequest",
  message:
    "error decoding patch: json: cannot unmarshal the patch into Go value of type map[string]interface {}"
}
