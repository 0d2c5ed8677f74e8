import { describe, expect, it } from "vitest"
import { readManifests } from "../../../src/manifests/readManifests.ts"
import { unknownKinds } from "../../../src/plan/verdicts/unknownKinds.ts"
import { readSettings } from "../../../src/plan/settings/readSettings.ts"
import {
  assumedBehaviours,
  assumedTraffic,
  inputForEnvironment
} from "../../../src/plan/settings/environmentInput.ts"
import { chooseWorkloads } from "../../../src/plan/settings/chooseWorkloads.ts"

const today = "2027-01-31"
const head = "apiVersion: charthouse.dev/v1\nkind: PlanSettings\nspec:\n"
const read = (spec: string) => readSettings(`${head}${spec}`, "charthouse.yaml", today)
const settingsOf = (spec: string) => {
  const result = read(spec)
  if (!result.ok) throw new Error(result.problems.join("\n"))
  return result.value
}

const workload = (kind: string, name: string, tier: string) => `
apiVersion: apps/v1
kind: ${kind}
metadata: { name: ${name}, labels: { tier: ${tier} } }
spec:
  replicas: 3
  ${kind === "StatefulSet" ? "serviceName: it" : "paused: false"}
  selector: { matchLabels: { app: ${name} } }
  template: { metadata: { labels: { app: ${name} } }, spec: { containers: [{ name: app, image: "app:1" }] } }
`
const { documents } = readManifests(
  [
    {
      name: "all.yaml",
      text: [workload("Deployment", "web", "front"), workload("StatefulSet", "db", "back")].join("---")
    }
  ],
  { strict: true }
)

describe("charthouse.yaml is refused with the line", () => {
  it.for([
    {
      why: "of an unknown field",
      spec: "  seedz: 5",
      problem: "4:3: spec.seedz is not a field here; did you mean seeds?"
    },
    {
      why: "of a field given twice",
      spec: "  seeds: 5\n  seeds: 6",
      problem: '5:3: duplicate field "spec.seeds"'
    },
    {
      why: "of a decision that has expired",
      spec: "  acceptUnknown:\n    - { kind: Scheduler, reason: known, expires: 2027-01-30 }",
      problem: "5:50: spec.acceptUnknown[0] has expired on 2027-01-30: decide again, or take it out"
    },
    {
      why: "of a decision about an unknown kind",
      spec: "  acceptUnknown:\n    - { kind: Weather, reason: known, expires: 2027-02-01 }",
      problem: `5:15: spec.acceptUnknown[0].kind must be one of ${unknownKinds.join(", ")}`
    },
    {
      why: "of a decision without a reason",
      spec: "  suppressions: [{ rule: requests-lost, expires: 2027-02-01 }]",
      problem: "4:18: spec.suppressions[0].reason is required"
    },
    {
      why: "of a threshold that is no condition",
      spec: "  thresholds: [{ failOn: availble<3 }]",
      problem:
        '4:26: spec.thresholds[0].failOn: nothing is called "availble": available, pods, lost, stuck, duration, duration.p50, ' +
        "duration.p95 can be compared"
    },
    {
      why: "of a time that is none",
      spec: "  assumptions: [{ image: app, ready: 9s..5s }]",
      problem: "4:38: spec.assumptions[0].ready the range 9s..5s goes backwards"
    },
    {
      why: "of a second environment of a name",
      spec: "  environments: [{ name: a }, { name: a }]",
      problem: '4:39: spec.environments[1].name: another environment is called "a"'
    }
  ])("$why", ({ spec, problem }) => {
    expect(read(spec)).toEqual({ ok: false, problems: [`charthouse.yaml:${problem}`] })
  })

  it("of what names no workload", () => {
    const settings = settingsOf(
      "  thresholds:\n    - { failOn: pods>9, workloads: [web, wbe] }\n    - { failOn: lost>0, labels: { tier: middle } }\n" +
        "  environments: [{ name: a, replicas: { shop: 2 } }]"
    )
    expect(chooseWorkloads(settings, documents).problems).toEqual([
      'charthouse.yaml:5:42: no workload that is planned is called "wbe"',
      "charthouse.yaml:6:33: no workload that is planned has these labels",
      'charthouse.yaml:7:41: no workload that is planned is called "shop"'
    ])
  })
})

describe("charthouse.yaml says", () => {
  it("which workloads a threshold and a suppression are about", () => {
    const settings = settingsOf(
      "  thresholds:\n    - { failOn: 'lost>0,pods>3', labels: { tier: front } }\n    - { failOn: stuck>0 }\n" +
        "  suppressions: [{ rule: requests-lost, workloads: [sts/db], reason: no client asks, expires: 2027-01-31 }]"
    )
    const { predicates, suppressions } = chooseWorkloads(settings, documents)
    expect(predicates.map(({ text, workloads }) => [text, workloads && [...workloads]])).toEqual([
      ["lost>0", ["Deployment default/web"]],
      ["pods>3", ["Deployment default/web"]],
      ["stuck>0", undefined]
    ])
    expect(suppressions).toEqual([
      {
        rule: "requests-lost",
        workloads: new Set(["StatefulSet default/db"]),
        because: "no client asks (until 2027-01-31)"
      }
    ])
  })

  it("how containers of an image live, and what clients send", () => {
    const { settings } = settingsOf(
      "  traffic: { requests: 50, propagation: 2s }\n" +
        "  assumptions: [{ image: 'app:*', start: 5s..15s, ready: 1s, stop: 3s, crash: 1%, observations: 12 }]"
    )
    expect(assumedTraffic(settings)).toEqual({ requestsPerSecond: 50, propagationMillis: 2000 })
    expect(assumedBehaviours(settings)).toEqual([
      {
        name: "assumption-1",
        match: { image: "app:*" },
        start: { uniform: ["5s", "15s"] },
        ready: "1s",
        terminate: "3s",
        exit: { after: { exponential: { mean: "5969950ms" } }, code: 1 }
      }
    ])
  })

  it("how many replicas an environment has, before and after, and its quotas", () => {
    const { settings } = settingsOf(
      "  environments: [{ name: staging, replicas: { sts/db: 1 }, quotas: [{ hard: { pods: '4' } }] }]"
    )
    const [environment = { name: "none" }] = settings.environments ?? []
    const { from, next } = inputForEnvironment({ from: documents, next: documents }, environment)
    expect(from.map(({ draft }) => draft)).toMatchObject([
      { kind: "ResourceQuota", spec: { hard: { pods: "4" } } },
      { kind: "Deployment", spec: { replicas: 3 } },
      { kind: "StatefulSet", spec: { replicas: 1 } }
    ])
    expect(next[1]?.rawFields).toMatchObject({ spec: { replicas: 1 } })
  })
})
