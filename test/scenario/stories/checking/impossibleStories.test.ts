import { describe, expect, it } from "vitest"
import { problemsOf, storyWithWeb, story } from "./storyTexts.ts"

const template = "{metadata: {labels: {app: web}}, spec: {containers: [{name: a, image: a}]}}"
const web = (name: string, more: string): string => {
  const spec = `${more}, selector: {matchLabels: {app: web}}, template: ${template}`
  return `{apiVersion: apps/v1, kind: Deployment, metadata: {name: ${name}}, spec: {${spec}}}`
}
const noRoomToRoll = "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 0}}"
const negativeReplicas = "replicas: -3"

describe("a contradictory condition is refused before the story is played:", () => {
  it.each<readonly [why: string, condition: string, problem?: string]>([
    ["bounds that exclude each other", "available > 5 and available < 3", "available is never > 5 and < 3"],
    [
      "bounds without an integer between them",
      "available > 5 and available < 6",
      "available is never > 5 and < 6"
    ],
    ["two exact numbers", "existing = 4 and existing = 5", "existing is never = 4 and = 5"],
    ["a count below zero", "ready < 0", "ready is never < 0"],
    [
      "bounds whose integers are all excluded",
      "updated >= 2 and updated <= 3 and updated != 2 and updated != 3",
      "updated is never >= 2 and <= 3 and != 2 and != 3"
    ],
    ["accepted: bounds with an integer between them", "available > 5 and available < 7"],
    ["accepted: excluded integers above a bound", "ready > 2 and ready != 3 and ready != 4 and ready != 5"],
    ["accepted: bounds on two measures", "available > 5 and ready < 3"],
    ["accepted: bounds on one and on all Deployments", "deployment/web available > 5 and available < 3"]
  ])("%s", async (_why, condition, problem) => {
    const found = await problemsOf(storyWithWeb(`  - expect: ${condition}\n`))
    expect(found).toEqual(
      problem === undefined ? [] : [`7:13: spec.steps[0].expect can never hold: ${problem}`]
    )
  })
})

describe("an object that the server would refuse is refused before the story is played:", () => {
  it.each<readonly [why: string, text: string, ...problems: ReadonlyArray<string>]>([
    [
      "maxSurge and maxUnavailable of 0",
      story(`  start:\n  - ${web("web", noRoomToRoll)}\n  steps: []\n`),
      '6:115: The Deployment "web" is invalid: spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0'
    ],
    [
      "negative replicas, in start and in a step",
      story(
        `  start:\n  - ${web("web", negativeReplicas)}\n  steps:\n  - apply: ${web("api", negativeReplicas)}\n`
      ),
      '6:75: The Deployment "web" is invalid: spec.replicas: Invalid value: -3: must be greater than or equal to 0',
      '8:82: The Deployment "api" is invalid: spec.replicas: Invalid value: -3: must be greater than or equal to 0'
    ],
    [
      "accepted: negative replicas with expectRefused",
      storyWithWeb(`  - apply: ${web("api", negativeReplicas)}\n    expectRefused: must be greater\n`)
    ],
    [
      "an object without a name",
      storyWithWeb("  - apply: {apiVersion: v1, kind: ConfigMap, metadata: {generateName: a-}}\n"),
      "7:5: error: from a-: cannot use generate name with apply"
    ],
    [
      "accepted: a partial manifest for a patched object",
      storyWithWeb(
        "  - patch: deployment/web\n    with: {metadata: {labels: {a: b}}}\n" +
          "  - apply: {apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 5}}\n"
      )
    ],
    [
      "a quota in a missing namespace",
      storyWithWeb("  - fault: quotaExhausted\n    namespace: nope\n"),
      "8:16: spec.steps[0].namespace can never be met: no manifest before this creates namespace/nope: there is namespace/default, namespace/kube-system, namespace/kube-public"
    ],
    [
      "accepted: a quota in a built-in namespace or one of the story",
      storyWithWeb(
        "  - fault: quotaExhausted\n    namespace: kube-system\n" +
          "  - apply: {apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n" +
          "  - delete: namespace/shop\n" +
          '  - fault: quotaExhausted\n    namespace: shop\n    hard: {pods: "3", requests.cpu: 500m}\n'
      )
    ],
    [
      "a quota with invalid quantities",
      storyWithWeb('  - fault: quotaExhausted\n    hard: {pods: "many", requests.memory: -1Gi}\n'),
      "8:19: spec.steps[0].hard.pods Invalid value: \"many\": quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
      '8:43: spec.steps[0].hard.requests.memory Invalid value: "-1Gi": must be greater than or equal to 0'
    ]
  ])("%s", async (_why, text, ...problems) => {
    expect(await problemsOf(text)).toEqual(problems)
  })
})
