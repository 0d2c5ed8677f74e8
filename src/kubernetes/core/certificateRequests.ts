import type * as Certificates from "kubernetes-types/certificates/v1.js"
import { isFields } from "../meta/fields.ts"
import { timestampOf } from "../meta/amounts/timestamps.ts"
import { adminUser } from "../meta/userInfo.ts"
import type { Draft, KubeObject } from "../meta/objects.ts"
import type { UserInfo } from "../meta/userInfo.ts"

/** Source: pkg/registry/certificates/certificates/strategy.go. */
export type CertificateRequestStatus = Partial<Certificates.CertificateSigningRequestStatus>
export type CertificateRequestCondition = Certificates.CertificateSigningRequestCondition

interface RequestDraft extends Draft {
  readonly spec?: object
  readonly status?: CertificateRequestStatus
}

/** Overwrites the requester that the client wrote. Without `UserInfo` the admin is the requester. */
export const withRequester = <O extends KubeObject & { readonly spec?: object }>(
  request: O,
  { username, uid, groups, extra }: UserInfo = adminUser
): O => {
  const {
    username: _username,
    uid: _uid,
    groups: _groups,
    extra: _extra,
    ...spec
  }: Partial<UserInfo> = request.spec ?? {}
  const user = {
    username,
    ...(uid === undefined ? {} : { uid }),
    groups,
    ...(extra === undefined ? {} : { extra })
  }
  return { ...request, spec: { ...spec, ...user } }
}

export const approvalConditionTypes: ReadonlyArray<string> = ["Approved", "Denied"]

/** Only the subresource `approval` changes the approval conditions. */
export const withCertificateRequestStatus = (
  old: RequestDraft,
  next: RequestDraft,
  write: { readonly nowMillis: number; readonly isApproval: boolean }
): RequestDraft => {
  const { conditions: storedConditions = [], ...storedFields } = old.status ?? {}
  const { conditions: newConditions, ...newFields } = next.status ?? {}
  if (newConditions === undefined) return { ...next, status: write.isApproval ? storedFields : newFields }
  const conditionsToWrite = write.isApproval
    ? newConditions
    : withStoredApproval(storedConditions, newConditions)
  const conditions = conditionsToWrite.map((condition) =>
    withConditionTimes(condition, storedConditions, write.nowMillis)
  )
  return { ...next, status: { ...(write.isApproval ? storedFields : newFields), conditions } }
}

/**
 * Restores stored approval conditions whose type occurs as often as before. Validation refuses any
 * other change.
 */
const withStoredApproval = (
  storedConditions: ReadonlyArray<CertificateRequestCondition>,
  newConditions: ReadonlyArray<CertificateRequestCondition>
): ReadonlyArray<CertificateRequestCondition> =>
  approvalConditionTypes.reduce((conditions, type) => {
    const stored = storedConditions.filter((it) => it.type === type)
    if (conditions.filter((it) => it.type === type).length !== stored.length) return conditions
    const remaining = stored.values()
    return conditions.map((it) => (it.type === type ? (remaining.next().value ?? it) : it))
  }, newConditions)

/** The transition time is that of a stored condition with the same type and status. */
const withConditionTimes = (
  condition: CertificateRequestCondition,
  storedConditions: ReadonlyArray<CertificateRequestCondition>,
  nowMillis: number
): CertificateRequestCondition => {
  // Validation refuses an element that is no condition.
  if (!isFields(condition)) return condition
  const now = timestampOf(nowMillis)
  const stored = storedConditions.find(
    ({ type, status, lastTransitionTime }) =>
      type === condition.type && status === condition.status && lastTransitionTime !== undefined
  )
  return {
    ...condition,
    lastUpdateTime: condition.lastUpdateTime ?? now,
    lastTransitionTime: condition.lastTransitionTime ?? stored?.lastTransitionTime ?? now
  }
}
