import { describe, expect, it } from "vitest"
import {
  podSecurityMinor,
  podSecurityRefusal,
  podSecurityWarning,
  validatePodSecurityLabels
} from "../../../../src/kubernetes/admission/podSecurity/podSecurityPolicy.ts"

const labelsOf = (labels: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(labels).map(([name, value]) => [`pod-security.kubernetes.io/${name}`, value])
  )
const pod = { spec: { hostPID: true, containers: [{ name: "app" }] }, annotations: undefined }
const violation = "host namespaces (hostPID=true)"

describe("the labels of Pod Security", () => {
  it.each([
    { why: "no label enforces nothing", labels: {}, refusal: undefined, warning: undefined },
    {
      why: "the enforced level is that of the warnings, too",
      labels: { enforce: "baseline", "enforce-version": "v1.30" },
      refusal: `violates PodSecurity "baseline:v1.30": ${violation}`,
      warning: `would violate PodSecurity "baseline:v1.30": ${violation}`
    },
    {
      why: "the warnings have a level of their own",
      labels: { enforce: "baseline", warn: "privileged" },
      refusal: `violates PodSecurity "baseline:latest": ${violation}`,
      warning: undefined
    },
    {
      why: "the warnings have a version of their own",
      labels: { enforce: "baseline", "warn-version": "v1.2" },
      refusal: `violates PodSecurity "baseline:latest": ${violation}`,
      warning: `would violate PodSecurity "baseline:v1.2": ${violation}`
    },
    {
      why: "a level that does not exist warns of nothing",
      labels: { enforce: "privileged", warn: "restrict" },
      refusal: undefined,
      warning: undefined
    },
    {
      why: "a version that does not exist is the latest",
      labels: { enforce: "baseline", "enforce-version": "1.30", warn: "privileged" },
      refusal: `violates PodSecurity "baseline:latest": ${violation}`,
      warning: undefined
    }
  ])("mean that $why", ({ labels, refusal, warning }) => {
    expect([podSecurityRefusal(labelsOf(labels), pod), podSecurityWarning(labelsOf(labels), pod)]).toEqual([
      refusal,
      warning
    ])
  })

  it("have known levels and versions", () => {
    const labels = labelsOf({
      enforce: "baseline",
      warn: "strict",
      "audit-version": "v2",
      "warn-version": "latest"
    })
    expect(validatePodSecurityLabels(labels).map(({ field }) => field)).toEqual([
      "metadata.labels[pod-security.kubernetes.io/audit-version]",
      "metadata.labels[pod-security.kubernetes.io/warn]"
    ])
  })

  it.each([
    ["latest", Infinity],
    ["v1.0", 0],
    ["v1.34", 34],
    ["v1.034", undefined],
    ["v2.0", undefined],
    ["1.34", undefined],
    ["", undefined]
  ])("have in %j the minor version %j", (version, minor) => {
    expect(podSecurityMinor(version)).toBe(minor)
  })
})
