import type * as Certificates from "kubernetes-types/certificates/v1.js"
import { isFields } from "./fields.ts"
import { timestampOf } from "./timestamps.ts"
import { adminUser } from "./userInfo.ts"
import type { Draft, KubeObject } from "./objects.ts"
import type { UserInfo } from "./userInfo.ts"

/**
 * What the server makes of a CertificateSigningRequest on its way in: who requests it, and which conditions a write may
 * change.
 *
 * Source: pkg/registry/certificates/certificates/strategy.go.
 */
export type RequestStatus = Partial<Certificates.CertificateSigningRequestStatus>
export type RequestCondition = Certificates.CertificateSigningRequestCondition

interface RequestDraft extends Draft {
  readonly spec?: object
  readonly status?: RequestStatus
}

/** The new request with the user that creates it, whatever its spec says of a user. */
export const requestedBy = <O extends KubeObject & { readonly spec?: object }>(
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

/** Conditions that the `approval` sub-resource alone sets. */
export const approvalTypes: ReadonlyArray<string> = ["Approved", "Denied"]

/**
 * The request with the status that a write of it comes to: an approval changes the conditions alone, and any other
 * write leaves the conditions of an approval as they are.
 */
export const withRequestStatus = (
  old: RequestDraft,
  next: RequestDraft,
  write: { readonly nowMillis: number; readonly approves: boolean }
): RequestDraft => {
  const { conditions: before = [], ...others } = old.status ?? {}
  const { conditions: sent, ...reported } = next.status ?? {}
  if (sent === undefined) return { ...next, status: write.approves ? others : reported }
  const kept = write.approves ? sent : withStoredApproval(before, sent)
  const conditions = kept.map((condition) => withTimes(condition, before, write.nowMillis))
  return { ...next, status: { ...(write.approves ? others : reported), conditions } }
}

/** Of types that are there as often as before, the stored conditions. Any other change is left to be refused. */
const withStoredApproval = (
  before: ReadonlyArray<RequestCondition>,
  sent: ReadonlyArray<RequestCondition>
): ReadonlyArray<RequestCondition> =>
  approvalTypes.reduce((conditions, type) => {
    const stored = before.filter((it) => it.type === type)
    if (conditions.filter((it) => it.type === type).length !== stored.length) return conditions
    const left = stored.values()
    return conditions.map((it) => (it.type === type ? (left.next().value ?? it) : it))
  }, sent)

const withTimes = (
  condition: RequestCondition,
  before: ReadonlyArray<RequestCondition>,
  nowMillis: number
): RequestCondition => {
  if (!isFields(condition)) return condition
  const now = timestampOf(nowMillis)
  const same = before.find(
    ({ type, status, lastTransitionTime }) =>
      type === condition.type && status === condition.status && lastTransitionTime !== undefined
  )
  return {
    ...condition,
    lastUpdateTime: condition.lastUpdateTime ?? now,
    lastTransitionTime: condition.lastTransitionTime ?? same?.lastTransitionTime ?? now
  }
}
