import { describe, expect, it } from "vitest"
import { decodeObject } from "../../../../src/kubernetes/admission/decoding/decodeObject.ts"

const decoded = (value: object, keepsEmptyValues = false): unknown => {
  const result = decodeObject(value, { strict: true, keepsEmptyValues })
  return result.ok ? result.object : result.message
}

const pod = (spec: object) => ({ apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec })
const container = (more: object) => pod({ containers: [{ name: "app", ...more }] })

describe("a value that Go's JSON omits", () => {
  it.each([
    { why: "a text", spec: { nodeName: "", hostname: "" }, stored: {} },
    { why: "a boolean that is no pointer", spec: { hostNetwork: false }, stored: {} },
    { why: "an empty list", spec: { tolerations: [], imagePullSecrets: [] }, stored: {} },
    { why: "an empty map", spec: { nodeSelector: {} }, stored: {} }
  ])("is not stored: $why", ({ spec, stored }) => {
    expect(decoded(pod(spec))).toEqual(pod(stored))
  })

  it.each([
    { why: "a pointer to false", spec: { automountServiceAccountToken: false } },
    { why: "a pointer to 0", spec: { terminationGracePeriodSeconds: 0 } },
    { why: "a struct", spec: { securityContext: {}, affinity: {} } },
    { why: "a list without omitempty", spec: { containers: [] } },
    { why: "an item of a list or map", spec: { nodeSelector: { disk: "" } } }
  ])("is stored where JSON shows it: $why", ({ spec }) => {
    expect(decoded(pod(spec))).toEqual(pod(spec))
  })

  it("is told from others in the structs of lists, and in inlined structs", () => {
    const key = { name: "", key: "" }
    expect(
      decoded(
        container({
          stdin: false,
          args: [],
          env: [{ name: "A", value: "" }],
          envFrom: [{ prefix: "", configMapRef: { name: "", optional: false } }],
          securityContext: { privileged: false },
          readinessProbe: { initialDelaySeconds: 0, httpGet: { path: "", port: 0 } }
        })
      )
    ).toEqual(
      container({
        env: [{ name: "A" }],
        envFrom: [{ configMapRef: { optional: false } }],
        securityContext: { privileged: false },
        readinessProbe: { httpGet: { port: 0 } }
      })
    )
    expect(decoded(container({ env: [{ name: "A", valueFrom: { secretKeyRef: key } }] }))).toEqual(
      container({ env: [{ name: "A", valueFrom: { secretKeyRef: { key: "" } } }] })
    )
  })

  it("stays in the configuration of a server-side apply", () => {
    const applied = pod({ hostNetwork: false, tolerations: [], nodeSelector: {} })
    expect(decoded(applied, true)).toEqual(applied)
  })

  it("is not stored in metadata, while a Role shows its empty rules", () => {
    const role = (more: object) => ({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: { name: "a", ...more },
      rules: []
    })
    expect(decoded(role({ labels: {}, finalizers: [] }))).toEqual(role({}))
  })
})
