import { mkdirSync, writeFileSync } from "node:fs"
import { behaviourJsonSchema } from "../src/behaviours/schema.ts"

// For editors: a behaviour file can name it in its first line, `# yaml-language-server: $schema=…`.
mkdirSync("dist", { recursive: true })
writeFileSync("dist/behaviour.schema.json", `${JSON.stringify(behaviourJsonSchema(), undefined, 2)}\n`)
