import { describe, expect, it } from "vitest"
import {
  withCertificateRequestStatus,
  withRequester
} from "../../../src/kubernetes/core/certificateRequests.ts"
import type {
  CertificateRequestCondition,
  CertificateRequestStatus
} from "../../../src/kubernetes/core/certificateRequests.ts"
import type { KubeObject } from "../../../src/kubernetes/meta/objects.ts"

const request = {
  metadata: { name: "web" },
  spec: { signerName: "example.com/signer" }
} as unknown as KubeObject & {
  readonly spec: object
}

describe("the spec of a CertificateSigningRequest", () => {
  it.each([
    {
      why: "names its requester",
      user: { username: "jane", uid: "7", groups: ["builders"], extra: { team: ["a"] } }
    },
    {
      why: "names no uid and nothing extra of a requester without them",
      user: { username: "jo", groups: [] }
    }
  ])("$why, whatever it says of itself", ({ user }) => {
    const claims = { username: "root", uid: "0", groups: ["system:masters"], extra: { scope: ["all"] } }
    const forged = { ...request, spec: { ...request.spec, ...claims } }
    expect(withRequester(forged, user).spec).toStrictEqual({ signerName: "example.com/signer", ...user })
  })

  it("is only the requester if it is missing", () => {
    const { spec: _spec, ...bare } = request
    expect(withRequester(bare as KubeObject, { username: "jo", groups: [] })).toEqual({
      ...bare,
      spec: { username: "jo", groups: [] }
    })
  })
})

describe("the stored status of a CertificateSigningRequest", () => {
  const [early, now] = ["2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"]
  const times = (time: string) => ({ lastUpdateTime: time, lastTransitionTime: time })
  const approved = { type: "Approved", status: "True" }
  const storedApproval = { ...approved, reason: "Policy", ...times(early) }
  const failed = { type: "Failed", status: "True" }
  const failedStored = { ...failed, ...times(early) }
  const otherStored = { type: "Mine", status: "True", ...times(early) }

  const rows: ReadonlyArray<{
    readonly why: string
    readonly old: CertificateRequestStatus | undefined
    readonly next: CertificateRequestStatus | undefined
    readonly isApproval: boolean
    readonly stored: CertificateRequestStatus
  }> = [
    { why: "is empty without one", old: undefined, next: undefined, isApproval: false, stored: {} },
    {
      why: "takes only conditions of an approval",
      old: { certificate: "old" },
      next: { certificate: "new", conditions: [approved] },
      isApproval: true,
      stored: { certificate: "old", conditions: [{ ...approved, ...times(now) }] }
    },
    {
      why: "takes nothing of an approval without conditions",
      old: { certificate: "old" },
      next: { certificate: "new" },
      isApproval: true,
      stored: { certificate: "old" }
    },
    {
      why: "takes the certificate of another write",
      old: { conditions: [storedApproval] },
      next: { certificate: "new" },
      isApproval: false,
      stored: { certificate: "new" }
    },
    {
      why: "keeps the approval in another write",
      old: { conditions: [storedApproval] },
      next: { certificate: "new", conditions: [{ ...approved, reason: "Other" }, failed] },
      isApproval: false,
      stored: { certificate: "new", conditions: [storedApproval, { ...failed, ...times(now) }] }
    },
    {
      why: "keeps the approval behind other conditions",
      old: { conditions: [otherStored, failedStored, storedApproval] },
      next: { conditions: [otherStored, failedStored, { ...approved, reason: "Other" }] },
      isApproval: false,
      stored: { conditions: [otherStored, failedStored, storedApproval] }
    },
    {
      why: "leaves a condition that is none to validation",
      old: {},
      next: { conditions: [null as unknown as CertificateRequestCondition] },
      isApproval: true,
      stored: { conditions: [null as unknown as CertificateRequestCondition] }
    },
    {
      why: "leaves a second approval to validation",
      old: { conditions: [storedApproval] },
      next: { conditions: [{ ...storedApproval, reason: "Other" }, storedApproval] },
      isApproval: false,
      stored: { conditions: [{ ...storedApproval, reason: "Other" }, storedApproval] }
    },
    {
      why: "keeps the time at which a condition got its status",
      old: { conditions: [{ ...failed, ...times(early) }] },
      next: { conditions: [{ ...failed, message: "again" }] },
      isApproval: false,
      stored: {
        conditions: [{ ...failed, message: "again", lastUpdateTime: now, lastTransitionTime: early }]
      }
    },
    {
      why: "has a new time for a condition with another status",
      old: { conditions: [{ type: "Mine", status: "False", ...times(early) }] },
      next: { conditions: [{ type: "Mine", status: "True" }] },
      isApproval: false,
      stored: { conditions: [{ type: "Mine", status: "True", ...times(now) }] }
    },
    {
      why: "has a new time for a condition of another type",
      old: { conditions: [{ type: "Yours", status: "True", ...times(early) }] },
      next: { conditions: [{ type: "Mine", status: "True" }] },
      isApproval: false,
      stored: { conditions: [{ type: "Mine", status: "True", ...times(now) }] }
    },
    {
      why: "takes the time of the first stored condition that has one",
      old: { conditions: [failed, { ...failed, ...times(early) }] },
      next: { conditions: [failed] },
      isApproval: false,
      stored: { conditions: [{ ...failed, lastUpdateTime: now, lastTransitionTime: early }] }
    },
    {
      why: "keeps the times that the write states",
      old: {},
      next: { conditions: [{ ...failed, ...times(early) }] },
      isApproval: false,
      stored: { conditions: [{ ...failed, ...times(early) }] }
    }
  ]
  it.each(rows)("$why", ({ old, next, isApproval, stored }) => {
    const draft = (status: CertificateRequestStatus | undefined) => ({
      apiVersion: "certificates.k8s.io/v1",
      kind: "CertificateSigningRequest",
      metadata: { name: "web" },
      ...(status === undefined ? {} : { status })
    })
    const write = { nowMillis: Date.parse(now), isApproval }
    expect(withCertificateRequestStatus(draft(old), draft(next), write).status).toEqual(stored)
  })
})
