import { describe, expect, it } from "vitest"
import { aStep as stepWith } from "../../recording/builders.ts"
import { stepText } from "../../../src/explain/steps/step.ts"
import type { Step } from "../../../src/explain/steps/step.ts"

const atMillis = Date.UTC(2026, 0, 1, 1, 2, 3)
const aStep = (more: Partial<Step>): Step =>
  stepWith({ number: 7, atMillis, namespace: "shop", name: "web-1", from: ["a"], to: ["a"], ...more })

const head = "#7 01:02:03 Pod shop/web-1: observed"

describe("the text of a step", () => {
  const rows: ReadonlyArray<{ readonly why: string; readonly step: Partial<Step>; readonly body: string }> = [
    { why: "no change of state", step: {}, body: "" },
    { why: "a state of a chart without regions", step: { to: ["b.c"] }, body: "\n  went a -> b.c" },
    {
      why: "a change in one region of three",
      step: { from: ["x.one", "y.one", "z.one"], to: ["x.one", "y.two", "z.one"] },
      body: "\n  went y.one -> y.two"
    },
    {
      why: "a change from one state to two regions",
      step: { from: ["waiting.creating"], to: ["running.readiness.notReady", "running.health.healthy"] },
      body: "\n  went waiting.creating -> running.readiness.notReady and running.health.healthy"
    },
    { why: "the first step of an actor", step: { from: [], to: ["b"] }, body: "\n  went b" },
    {
      why: "guards that did not hold, of the last decision only",
      step: {
        guards: [
          { state: "a", name: "first", holds: false, text: "1" },
          { state: "a", name: "second", holds: true, text: "2" },
          { state: "b", name: "third", holds: false, text: "3" }
        ]
      },
      body: "\n  yes  second: 2\n  no   third: 3"
    },
    {
      why: "writes that succeeded, changed nothing or were refused",
      step: {
        writes: [
          { verb: "create", resource: "pods", key: "shop/p", resourceVersion: "9" },
          { verb: "status", resource: "pods", key: "shop/p", resourceVersion: "9", changedNothing: true },
          { verb: "delete", resource: "pods", key: "p", refused: "not now" }
        ]
      },
      body:
        "\n  did  create pods shop/p (version 9)" +
        "\n  did  status pods shop/p, which changed nothing" +
        "\n  did  delete pods p, refused: not now"
    }
  ]
  it.each(rows)("$why", ({ step, body }) => expect(stepText(aStep(step))).toBe(`${head}${body}`))

  const causes: ReadonlyArray<{ readonly because: Step["because"] & object; readonly text: string }> = [
    {
      because: { type: "ADDED", resource: "pods", key: "shop/p", resourceVersion: 4 },
      text: "because pods shop/p came (version 4)"
    },
    {
      because: {
        type: "DELETED",
        resource: "pods",
        key: "shop/p",
        resourceVersion: 5,
        by: "kubectl",
        changes: 2
      },
      text: "because pods shop/p went (version 5) by kubectl after 1 other change"
    },
    {
      because: { type: "MODIFIED", resource: "nodes", key: "node-1", resourceVersion: 6, changes: 4 },
      text: "because nodes node-1 changed (version 6) after 3 other changes"
    }
  ]
  it.each(causes)("woken $text", ({ because, text }) =>
    expect(stepText(aStep({ because }))).toBe(`${head}, ${text}`)
  )
})
