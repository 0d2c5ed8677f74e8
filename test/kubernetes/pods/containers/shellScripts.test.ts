import { expect, it } from "vitest"
import { shellScriptOf } from "../../../../src/kubernetes/pods/containers/shellScripts.ts"

it.each([
  { command: ["sh", "-c", "sleep 5"], script: "sleep 5" },
  { command: ["/bin/sh", "-c", "sleep 5", "name"], script: "sleep 5" },
  { command: ["/usr/bin/bash", "-ec", "sleep 5"], script: "sleep 5" },
  { command: ["bash", "-eu", "-o", "pipefail", "-c", "sleep 5"], script: "sleep 5" },
  { command: ["ash", "-c"], script: "" },
  { command: ["sh", "run.sh", "-c", "sleep 5"], script: undefined },
  { command: ["sh", "run.sh"], script: undefined },
  { command: ["zsh", "-c", "sleep 5"], script: undefined },
  { command: ["/usrsh", "-c", "sleep 5"], script: undefined },
  { command: ["sleep", "5"], script: undefined },
  { command: [], script: undefined }
])("the script of $command is $script", ({ command, script }) => {
  expect(shellScriptOf(command)).toBe(script)
})
