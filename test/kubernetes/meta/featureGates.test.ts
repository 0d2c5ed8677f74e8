import { describe, expect, it } from "vitest"
import {
  featureGateProblems,
  parseFeatureGates,
  resolveFeatureGates
} from "../../../src/kubernetes/meta/featureGates.ts"

const gate = "DeploymentReplicaSetTerminatingReplicas"

describe("feature gates", () => {
  it("have the defaults of release 1.36", () => {
    expect(resolveFeatureGates()).toEqual({ [gate]: true })
    expect(resolveFeatureGates({ [gate]: false })).toEqual({ [gate]: false })
  })

  it.each([
    { text: "", gates: {} },
    { text: `${gate}=false`, gates: { [gate]: false } },
    { text: ` ${gate} = T ,`, gates: { [gate]: true } },
    { text: `${gate}=true,${gate}=0`, gates: { [gate]: false } }
  ])("are parsed like Kubernetes': $text", ({ text, gates }) => {
    expect(parseFeatureGates(text)).toEqual(gates)
  })

  it.each([
    { text: "Foo=true", why: "unrecognized feature gate: Foo" },
    { text: `${gate}=true,toString=true`, why: "unrecognized feature gate: toString" },
    { text: "__proto__=true", why: "unrecognized feature gate: __proto__" },
    { text: gate, why: `missing bool value for ${gate}` },
    {
      text: `${gate}=no`,
      why: `invalid value of ${gate}=no, err: strconv.ParseBool: parsing "no": invalid syntax`
    }
  ])("are rejected with Kubernetes' error: $text", ({ text, why }) => {
    expect(parseFeatureGates(text)).toBe(why)
  })

  it.each([
    { gates: undefined, problems: [] },
    { gates: { [gate]: false }, problems: [] },
    { gates: "all", problems: ['featureGates must be an object of gates, not "all"'] },
    {
      gates: { Foo: true, [gate]: "no" },
      problems: ["unrecognized feature gate: Foo", `invalid value of ${gate}="no", not a boolean`]
    }
  ])("of a program are checked: $gates", ({ gates, problems }) => {
    expect(featureGateProblems(gates)).toEqual(problems)
  })
})
