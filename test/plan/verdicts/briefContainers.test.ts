import { describe, expect, it } from "vitest"
import { immediateEndOf } from "../../../src/plan/seeds/briefCommand.ts"
import { objectText, web } from "./mistakenManifests.ts"
import { planMistake } from "./planMistake.ts"
import type { Mistake } from "./planMistake.ts"

const app = '{ name: app, image: "app:2" }'
const echo = (more: string): string => `{ name: log, image: "log:1", command: [echo, hi], ${more} }`
const webOf = (...containers: ReadonlyArray<string>): string =>
  web({ replicas: 1 }).replace(/ {8}- .*$/mu, containers.map((it) => `        - ${it}`).join("\n"))
const withInit = (container: string): string => web({ replicas: 1, pod: `initContainers: [${container}]` })
const job = (container: string, more = ""): string =>
  objectText(
    "batch/v1",
    "Job",
    "web",
    `spec: { backoffLimit: 1, template: { spec: { restartPolicy: Never, ${more} containers: [${container}] } } }`
  )

const completed =
  'never completes: container "log" ended with exit code 0 (Completed), is not restarted, and is never ready: it runs "echo hi"'
const crashing = 'never completes: CrashLoopBackOff: container "log" ends at once: it runs "echo hi"'
const restartAfterSuccess =
  "restartPolicyRules: [{ action: Restart, exitCodes: { operator: In, values: [0] } }]"

const rows: ReadonlyArray<Mistake> = [
  {
    why: "an image whose program ends by itself is given no command",
    next: [web({ image: "hello-world", container: "tty: true" })],
    verdict: "stuck",
    reasons: [
      'never completes: CrashLoopBackOff: container "app" ends at once: image hello-world has a program that does its work and ends'
    ]
  },
  {
    why: "an image whose interpreter has no input is given no command",
    next: [web({ image: "python:3.12-slim" })],
    verdict: "stuck",
    reasons: [
      'never completes: CrashLoopBackOff: container "app" ends at once: image python:3.12-slim waits for a terminal\'s input, and no command is given'
    ]
  },
  {
    why: "an image of an interpreter is given its program",
    next: [web({ image: "python:3.12-slim", container: "args: [serve.py]" })],
    verdict: "ships"
  },
  { why: "an image of PHP has a server", next: [web({ image: "php:8.3-fpm-alpine" })], verdict: "ships" },
  {
    why: "an image of PHP may have a server: only its digest is given",
    next: [web({ image: `php@sha256:${"0".repeat(64)}` })],
    verdict: "ships"
  },
  {
    why: "an image of PHP has none",
    next: [web({ image: "php:8.3-cli" })],
    verdict: "stuck"
  },
  {
    why: "a container that is not restarted has ended",
    next: [webOf(app, echo("restartPolicy: Never"))],
    verdict: "stuck",
    reasons: [completed]
  },
  {
    why: "it ends before the next one starts",
    next: [webOf(echo("restartPolicy: Never"), app)],
    verdict: "stuck",
    reasons: [completed]
  },
  {
    why: "its success is no reason to restart it",
    next: [webOf(app, echo("restartPolicy: OnFailure"))],
    verdict: "stuck",
    reasons: [completed]
  },
  {
    why: "no other container runs on",
    next: [webOf(echo("restartPolicy: Never"))],
    verdict: "stuck",
    reasons: [completed]
  },
  {
    why: "its failure is a reason to restart it",
    next: [webOf(app, echo("restartPolicy: OnFailure").replace("echo, hi", '"false"'))],
    verdict: "stuck",
    reasons: [crashing.replace("echo hi", "false")]
  },
  {
    why: "a rule restarts it",
    next: [webOf(app, echo(`restartPolicy: Never, ${restartAfterSuccess}`))],
    verdict: "stuck",
    reasons: [crashing]
  },
  {
    why: "its Pods restart it",
    next: [webOf(app, echo("tty: true"))],
    verdict: "stuck",
    reasons: [crashing]
  },
  {
    why: "it is a sidecar, which is restarted",
    next: [withInit(echo("restartPolicy: Always"))],
    verdict: "stuck",
    reasons: [crashing.replace("container", "init container")]
  },
  { why: "it is an init container, which is to end", next: [withInit(echo("tty: true"))], verdict: "ships" },
  {
    why: "it is an init container that fails, and is not restarted",
    next: [withInit(echo("restartPolicy: Never").replace("[echo, hi]", '["false"]'))],
    verdict: "stuck",
    reasons: ['never completes: init container "log" fails with exit code 1: it runs "false"']
  },
  {
    why: "it is an init container that sleeps beyond the deadline",
    next: [withInit(echo("tty: true").replace("[echo, hi]", '[sh, -c, "echo hi; sleep 61"]'))],
    verdict: "stuck",
    reasons: ["misses its deadline: Pods had not started yet"]
  },
  {
    why: "it is an init container that sleeps, and then does more",
    next: [withInit(echo("tty: true").replace("[echo, hi]", '[sh, -c, "sleep 61; migrate"]'))],
    verdict: "ships"
  },
  { why: "it is of a Job, whose Pods are to end", next: [job(echo("tty: true"))], verdict: "ships" },
  {
    why: "the Job sleeps for longer than a rollout without progress is played",
    next: [job('{ name: log, image: "log:1", command: [sleep, "36000"] }')],
    verdict: "ships"
  },
  {
    why: "the Job's deadline is over before its container has slept",
    next: [
      job('{ name: log, image: "log:1", command: [sleep, "60"] }').replace(
        "spec: {",
        "spec: { activeDeadlineSeconds: 30,"
      )
    ],
    verdict: "stuck",
    reasons: ['never completes: job "web" has failed: Job was active longer than specified deadline']
  },
  {
    why: "it is a sidecar of a Job, which ends without it",
    next: [job(app, `initContainers: [${echo("restartPolicy: Always")}],`)],
    verdict: "ships"
  }
]

describe("what a container that ends at once makes of a verdict", () => {
  it.each(rows)("is $verdict where $why", async (row) => {
    expect(await planMistake(row)).toEqual(row)
  })
})

describe("a container that is not restarted", () => {
  it.each([
    { command: ["echo"], code: 0, reason: "Completed" },
    { command: ["false"], code: 1, reason: "Error" },
    { command: ["/bin/false"], code: 1, reason: "Error" },
    { command: ["/bin/echo", "hi"], code: 0, reason: "Completed" },
    { command: ["sh", "-c", "date; exit 3"], code: 3, reason: "Error" },
    { command: ["sh", "-ec", "false; exit"], code: 0, reason: "Completed" },
    { command: ["sh", "-c", "echo false"], code: 0, reason: "Completed" },
    { command: ["sh", "-c", "ls /data || exit 1"], code: 0, reason: "Completed" },
    { command: ["sh", "-c", "ls /data && exit 1"], code: 1, reason: "Error" }
  ])("ends with $reason and $code after $command", ({ command, code, reason }) => {
    const container = { name: "log", image: "log:1", command, restartPolicy: "Never" }
    const spec = { containers: [container, { name: "app", image: "app:2" }] }
    expect(immediateEndOf(container, spec)?.finalExit).toMatchObject({ afterMillis: 0, code, reason })
  })
})
