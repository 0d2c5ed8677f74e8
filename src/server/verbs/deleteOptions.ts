import { readDocumentFields } from "../../kubernetes/admission/decoding/decodeObject.ts"
import { decodeStruct, newDecodeState } from "../../kubernetes/admission/decoding/decodeStruct.ts"
import { dryRunErrors, parseBody } from "../requests/decodeBody.ts"
import { badRequest, invalidRequestOptions } from "../http/statuses.ts"
import { goQuote } from "../../kubernetes/meta/text/goQuote.ts"
import type { DeleteOptions } from "../../store/objectStore.ts"
import type { ApiCall } from "../requests/apiCall.ts"
import type { OptionError } from "../http/statuses.ts"

export interface RawDeleteOptions {
  readonly dryRun?: ReadonlyArray<string>
  readonly gracePeriodSeconds?: number
  readonly orphanDependents?: boolean
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly propagationPolicy?: string
}

/**
 * Reads the query if there is no body.
 *
 * Source: apiserver/pkg/endpoints/handlers/delete.go,
 * apimachinery/pkg/apis/meta/v1/conversion.go.
 */
export const readDeleteOptions = (call: ApiCall): RawDeleteOptions => {
  if (call.body.length > 0) return decodeOptions(parseBody(call).value ?? {})
  const { query } = call
  const grace = query.integer("gracePeriodSeconds")
  const policy = query.text("propagationPolicy")
  const orphans = query.text("orphanDependents")
  const uid = query.text("uid")
  return {
    dryRun: query.texts("dryRun"),
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    ...(policy === undefined ? {} : { propagationPolicy: policy }),
    ...(orphans === undefined ? {} : { orphanDependents: query.flag("orphanDependents") }),
    ...(uid === undefined ? {} : { preconditions: { uid } })
  }
}

/** Ignores unknown fields in spite of `fieldValidation`. */
const decodeOptions = (value: unknown): RawDeleteOptions => {
  const result = readDocumentFields(value)
  if ("ok" in result) throw badRequest(result.message)
  const { kind, apiVersion } = result.fields
  if (kind && kind !== "DeleteOptions") {
    const version = JSON.stringify(apiVersion || "meta.k8s.io/v1")
    throw badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ${version} in scheme ${schemeLocation}`
    )
  }
  const decoding = newDecodeState()
  const decoded = decodeStruct(result.fields, "DeleteOptions", decoding)
  if (decoding.problem !== undefined) throw badRequest(decoding.problem.message)
  return decoded
}

/** Go's error names the source location of its scheme. */
const schemeLocation = '"pkg/apis/meta/internalversion/scheme/register.go:27"'

export const toDeleteOptions = (rawOptions: RawDeleteOptions): DeleteOptions => {
  const { dryRun = [], gracePeriodSeconds, preconditions } = rawOptions
  const errors = [...policyErrors(rawOptions), ...dryRunErrors(dryRun)]
  if (errors.length > 0) throw invalidRequestOptions("DeleteOptions", errors)
  const policy = policyOf(rawOptions)
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(policy === undefined ? {} : { propagationPolicy: policy }),
    ...(preconditions === undefined ? {} : { preconditions }),
    ...(dryRun.length > 0 ? { dryRun: true } : {})
  }
}

const policies = ["Foreground", "Background", "Orphan"] as const

const policyOf = ({ orphanDependents, propagationPolicy }: RawDeleteOptions) => {
  if (orphanDependents !== undefined) return orphanDependents ? "Orphan" : "Background"
  return policies.find((policy) => policy === propagationPolicy)
}

/** Source: apimachinery/pkg/apis/meta/v1/validation/validation.go (ValidateDeleteOptions). */
const policyErrors = (rawOptions: RawDeleteOptions): ReadonlyArray<OptionError> => {
  const { orphanDependents, propagationPolicy } = rawOptions
  if (propagationPolicy === undefined) return []
  const field = "propagationPolicy"
  const quotedPolicy = goQuote(propagationPolicy)
  const hasBoth = orphanDependents !== undefined
  const isKnown = policies.some((policy) => policy === propagationPolicy)
  const bothMessage = `Invalid value: ${quotedPolicy}: orphanDependents and deletionPropagation cannot be both set`
  const unknownMessage = `Unsupported value: ${quotedPolicy}: supported values: "Foreground", "Background", "Orphan", "nil"`
  return [
    ...(hasBoth ? [{ field, reason: "FieldValueInvalid", body: bothMessage }] : []),
    ...(isKnown ? [] : [{ field, reason: "FieldValueNotSupported", body: unknownMessage }])
  ]
}
