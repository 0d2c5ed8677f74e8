import { describe, expect, it } from "vitest"
import {
  label1035Problems,
  labelProblems,
  labelValueProblems,
  maskTrailingDash,
  nameRuleOf,
  pathSegmentProblems,
  qualifiedNameProblems,
  subdomainProblems
} from "../../../../src/kubernetes/validation/nameRules.ts"
import {
  validateHostPorts,
  validatePortReference
} from "../../../../src/kubernetes/admission/pods/validatePorts.ts"
import { storedKinds } from "../../../../src/kubernetes/meta/kinds.ts"
import type { NameRule } from "../../../../src/kubernetes/validation/nameRules.ts"

const cronJobProblems: NameRule = (name) =>
  storedKinds
    .filter(({ kind }) => kind === "Pod")
    .flatMap((pod) => nameRuleOf({ ...pod, kind: "CronJob" })(name))

interface LengthRow {
  readonly rule: string
  readonly problems: NameRule
  readonly longest: number
  readonly problem: string
}

describe("the length of a name", () => {
  it.each<LengthRow>([
    {
      rule: "subdomain",
      problems: subdomainProblems,
      longest: 253,
      problem: "must be no more than 253 characters"
    },
    { rule: "label", problems: labelProblems, longest: 63, problem: "must be no more than 63 characters" },
    {
      rule: "older label",
      problems: label1035Problems,
      longest: 63,
      problem: "must be no more than 63 characters"
    },
    {
      rule: "label value",
      problems: labelValueProblems,
      longest: 63,
      problem: "must be no more than 63 bytes"
    },
    {
      rule: "qualified name",
      problems: qualifiedNameProblems,
      longest: 63,
      problem: "name part must be no more than 63 bytes"
    },
    { rule: "CronJob", problems: cronJobProblems, longest: 52, problem: "must be no more than 52 characters" }
  ])("is at most $longest for a $rule", ({ problems, longest, problem }) => {
    expect(problems("a".repeat(longest))).toEqual([])
    expect(problems("a".repeat(longest + 1))).toEqual([problem])
  })

  it("is at most 253 for a prefix", () => {
    expect(qualifiedNameProblems(`${"a".repeat(253)}/x`)).toEqual([])
    expect(qualifiedNameProblems(`${"a".repeat(254)}/x`)).toEqual([
      "prefix part must be no more than 253 characters"
    ])
  })

  it("is reported beside other problems", () => {
    expect(labelProblems("A".repeat(64))).toHaveLength(2)
    expect(labelValueProblems("-".repeat(64))).toHaveLength(2)
    expect(qualifiedNameProblems("-".repeat(64))).toHaveLength(2)
    expect(qualifiedNameProblems("")).toHaveLength(2)
    expect(qualifiedNameProblems("a/b/c")).toHaveLength(1)
  })

  it.each([".", ".."])("rejects %s as a path segment", (name) => {
    expect(pathSegmentProblems(name)).toEqual([`may not be '${name}'`])
  })

  it.each([
    { name: "web-", masked: "wea" },
    { name: "a-", masked: "a" },
    { name: "-", masked: "-" },
    { name: "web", masked: "web" }
  ])("of the prefix $name is that of $masked", ({ name, masked }) => {
    expect(maskTrailingDash(name)).toBe(masked)
  })
})

describe("a port reference", () => {
  const range = "must be between 1 and 65535, inclusive"
  const hyphen = "must not begin or end with a hyphen"

  it.each([
    { port: 0, problems: [range] },
    { port: 1, problems: [] },
    { port: 65535, problems: [] },
    { port: 65536, problems: [range] },
    { port: undefined, problems: [range] },
    { port: "http", problems: [] },
    { port: "a23456789012345", problems: [] },
    { port: "a234567890123456", problems: ["must be no more than 15 characters"] },
    { port: "-http", problems: [hyphen] },
    { port: "http-", problems: [hyphen] },
    { port: "-http-", problems: [hyphen] }
  ])("$port has the problems $problems", ({ port, problems }) => {
    expect(validatePortReference(port, "port").map(({ detail }) => detail)).toEqual(problems)
  })

  it("of a host is unique in a Pod, 0 is not checked", () => {
    const container = (...hostPorts: ReadonlyArray<number>) => ({
      ports: hostPorts.map((hostPort) => ({ containerPort: 80, hostPort, protocol: "TCP" }))
    })
    const twice = validateHostPorts([container(0, 7), container(0, 9), container(7)], "containers")
    expect(twice.map(({ field }) => field)).toEqual(["containers[2].ports[0].hostPort"])
  })
})
