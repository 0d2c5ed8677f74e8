import { describe, expect, it } from "vitest"
import { planMistake } from "./planMistake.ts"
import { web } from "./mistakenManifests.ts"
import type { Mistake } from "./planMistake.ts"

const hooked = (script: string): string =>
  web({ container: `lifecycle: { postStart: { exec: { command: [sh, -c, "${script}"] } } }` })

const rows: ReadonlyArray<Mistake> = [
  {
    why: "the hook never ends",
    next: [hooked("echo hi; sleep infinity")],
    verdict: "stuck",
    reasons: [
      'never completes: ContainerCreating: postStart of container "app" never ends: it runs "sleep infinity"'
    ]
  },
  {
    why: "the hook of the previous Pods ended",
    from: [web({ image: "app:1" })],
    next: [hooked("tail -f /dev/null")],
    verdict: "stuck",
    reasons: [
      'never completes: ContainerCreating: postStart of container "app" never ends: it runs "tail -f"'
    ]
  },
  {
    why: "the hook fails",
    next: [hooked("sleep 2; exit 3")],
    verdict: "stuck",
    reasons: [
      'never completes: PostStartHookError: postStart of container "app" fails, which ends the container: it runs "sleep 2; exit 3"'
    ]
  },
  {
    why: "the hook's command is one string with its arguments",
    next: [web({ container: 'lifecycle: { postStart: { exec: { command: ["touch /ready"] } } }' })],
    verdict: "stuck",
    reasons: [
      'never completes: PostStartHookError: postStart of container "app" fails, which ends the container: it runs "touch /ready"'
    ]
  },
  { why: "what never ends is in the background", next: [hooked("tail -f /log &")], verdict: "ships" },
  {
    why: "the hook waits for the application",
    next: [hooked("while true; do curl localhost && break; sleep 1; done")],
    verdict: "ships"
  },
  { why: "the hook does something else", next: [hooked("warm /cache || exit 1")], verdict: "ships" }
]

describe("what a postStart hook makes of a verdict", () => {
  it.each(rows)("is $verdict where $why", async (row) => {
    expect(await planMistake(row)).toEqual(row)
  })
})
