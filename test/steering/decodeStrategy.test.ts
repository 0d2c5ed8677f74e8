import { describe, expect, it } from "vitest"
import { aDeployment } from "../machines/workloadObservations.ts"
import { automaticRollback } from "../../machines/steering/automaticRollback.ts"
import { builtInSteering } from "../../machines/steering/steeringStrategies.ts"
import { decodeStrategy } from "../../src/steering/decodeStrategy.ts"
import type { Deployment } from "../../src/kubernetes/meta/objects.ts"

const deployment = aDeployment()
const { template } = deployment.spec
const gates = { readinessGates: [{ conditionType: "charthouse.dev/approved" }] }
const bounds = (maxUnavailable: number | string) => ({
  strategy: { type: "RollingUpdate" as const, rollingUpdate: { maxSurge: 1, maxUnavailable } }
})
const gatedDeployment = withSpec({
  ...bounds(0),
  progressDeadlineSeconds: 600,
  template: { ...template, spec: { ...template.spec, ...gates } }
})

function withSpec(spec: object): Deployment {
  return { ...deployment, spec: { ...deployment.spec, ...spec } } as Deployment
}

const decode = (text: string, of = gatedDeployment) => decodeStrategy(text, of, builtInSteering)

describe("the annotation charthouse.dev/strategy", () => {
  it.each([
    { text: "automaticRollback", settings: { restarts: 3, startTimeoutMillis: 60_000, onFailure: "undo" } },
    { text: "automaticRollback:", settings: { restarts: 3, startTimeoutMillis: 60_000, onFailure: "undo" } },
    {
      text: "automaticRollback:\n  restarts: 0\n  cannotStart: 2m30s\n  onFailure: hold\n",
      settings: { restarts: 0, startTimeoutMillis: 150_000, onFailure: "hold" }
    },
    {
      text: "automaticRollback: { cannotSchedule: 5m }",
      settings: {
        restarts: 3,
        startTimeoutMillis: 60_000,
        scheduleTimeoutMillis: 300_000,
        onFailure: "undo"
      }
    }
  ])("is decoded: $text", ({ text, settings }) => {
    expect(decode(text, deployment)).toEqual({
      strategy: { name: "automaticRollback", settings },
      chart: automaticRollback,
      problems: [],
      warnings: []
    })
  })

  it.each([
    { text: "", line: 1, message: "is empty" },
    { text: "[", line: 1, message: /^not readable as YAML/u },
    { text: "- automaticRollback", line: 1, message: "must name one steering chart, with its settings" },
    { text: "canaries: {}", line: 1, message: /is no steering chart/u },
    { text: "constructor: {}", line: 1, message: /is no steering chart/u },
    { text: "a: {}\nb: {}", line: 1, message: "must name one steering chart, with its settings" },
    { text: "a\n---\nb", line: 3, message: "is more than one document" },
    {
      text: "automaticRollback:\n  restart: 3",
      line: 2,
      message: "automaticRollback.restart is not a field here; did you mean restarts?"
    },
    {
      text: "automaticRollback:\n  restarts: -1",
      line: 2,
      message: "automaticRollback.restarts must be a whole number from 0 on"
    },
    { text: "canary: {}", line: 1, message: /steps/u },
    { text: "canary:\n  steps: []", line: 2, message: "canary.steps must have a step" },
    {
      text: "canary:\n  steps:\n  - approve: 0",
      line: 3,
      message: "canary.steps[0].approve must be a number of Pods from 1 on, or a percentage from 1% to 100%"
    },
    { text: "canary:\n  steps:\n  - approve: 101%", line: 3, message: /percentage from 1% to 100%/u },
    { text: "canary:\n  steps:\n  - hold: soon", line: 3, message: /hold/u },
    {
      text: "canary:\n  steps:\n  - { hold: 5m, approve: 1 }",
      line: 3,
      message: "canary.steps[0] must have one of approve, hold"
    },
    {
      text: "canary:\n  steps:\n  - approve: 50%\n  - approve: 20%",
      line: 4,
      message: "approve: 20% must not be less than an earlier step's 50%: approvals stay"
    },
    {
      text: "canary:\n  steps:\n  - hold: 10m",
      line: 3,
      message: /^a hold of 10m must be shorter than progressDeadlineSeconds \(600\)/u
    },
    { text: "automaticRollback:\n  cannotStart: 5", line: 2, message: /cannotStart/u },
    { text: "automaticRollback:\n  onFailure: abort", line: 2, message: /must be one of undo, hold/u }
  ])("is refused with its line: $text", ({ text, line, message }) => {
    const { strategy, problems } = decode(text)
    expect(strategy).toBeUndefined()
    expect(problems).toHaveLength(1)
    expect(problems[0]?.line).toBe(line)
    expect(problems[0]?.message).toMatch(message)
  })

  it.each([
    "canary: { steps: [{ analyse: calm }], analyses: { calm: { pods: restarts, max: 0, count: 20 } } }",
    "canary: { steps: [{ hold: 6m }, { approve: 1 }, { hold: 6m }] }",
    "canary: { steps: [{ approve: 100% }, { analyse: calm }], analyses: { calm: { pods: restarts, max: 0, count: 90 } } }"
  ])("is valid, since no deadline passes: %s", (text) => {
    expect(decode(text).problems).toEqual([])
  })

  it("has steps of counts, percentages and holds", () => {
    const text =
      "canary: { steps: [{ approve: 1 }, { hold: 5m }, { approve: 50% }, { hold: untilPromoted }] }"
    expect(decode(text).strategy?.settings).toMatchObject({
      restarts: 3,
      steps: [{ approve: 1 }, { holdMillis: 300_000 }, { approve: "50%" }, { holdMillis: undefined }]
    })
  })

  it.each([
    { spec: { strategy: { type: "Recreate" } }, message: /must be RollingUpdate/u },
    { spec: bounds("25%"), message: /maxUnavailable must be 0 and is 25%/u },
    { spec: bounds(1), message: /maxUnavailable must be 0 and is 1/u },
    { spec: bounds("0%"), message: undefined },
    { spec: { strategy: { type: "RollingUpdate" } }, message: /maxUnavailable must be 0 and is 25%/u },
    { spec: { ...bounds(0), template }, message: /Add "readinessGates/u }
  ])("of a canary is refused for a Deployment of $spec", ({ spec, message }) => {
    const { problems } = decode(
      "canary: { steps: [{ approve: 1 }] }",
      withSpec({ ...gatedDeployment.spec, ...spec })
    )
    expect(problems.map((it) => it.message)).toEqual(
      message === undefined ? [] : [expect.stringMatching(message)]
    )
  })
})
