import { expect, it } from "vitest"
import { endlessContainers } from "../../../src/plan/seeds/endlessCommand.ts"

const commandOf = (script: string): string | undefined =>
  endlessContainers({
    restartPolicy: "Never",
    containers: [{ name: "app", image: "app:1", command: ["sh", "-c", script] }]
  })[0]?.command

it.each([
  ["migrate && tail -f /dev/null", "tail -f"],
  ["tail -F /log 2>&1", "tail -F"],
  ["tail -f /log || true", "tail -f"],
  ["tail -f /a & tail -f /b", "tail -f"],
  ["timeout 5 nc db 5432; sleep infinity", "sleep infinity"],
  ["trap : TERM; sleep infinity & wait", "sleep infinity"],
  ["migrate; while :; do sleep 1; done", "while :"]
])("takes %j for endless", (script, command) => {
  expect(commandOf(script)).toBe(command)
})

it.each([
  "tail -f /log & migrate",
  "tail -f /log 2>&1 & migrate",
  "tail -f --pid=7 /log",
  "tail -f /log | grep -q ready",
  "timeout 60 tail -f /log",
  "sleep infinity & pid=$!; migrate; kill $pid",
  "while true; do report; done & migrate",
  "wait_for() { while true; do nc db 5432 && return; done; }; wait_for"
])("does not take %j for endless: something ends it, or the script goes on", (script) => {
  expect(commandOf(script)).toBeUndefined()
})

it("waits for app containers that restart always, unlike for sidecars", () => {
  const endless = (name: string) => ({
    name,
    image: "a",
    restartPolicy: "Always",
    command: ["sleep", "infinity"]
  })
  const spec = { restartPolicy: "Never", containers: [endless("app")], initContainers: [endless("proxy")] }
  expect(endlessContainers(spec).map(({ container }) => container.name)).toEqual(["app"])
})
