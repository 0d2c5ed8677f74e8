import { mkdirSync, writeFileSync } from "node:fs"
import { behaviourJsonSchema } from "../src/behaviours/behaviourSchema.ts"
import { planSettingsJsonSchema } from "../src/plan/settings/settingsSchema.ts"
import { storyJsonSchema } from "../src/scenario/stories/reading/storySchema.ts"

// For editors: a file can name its schema in its first line, `# yaml-language-server: $schema=…`.
mkdirSync("dist", { recursive: true })
const schemas = {
  behaviour: behaviourJsonSchema(),
  plan: planSettingsJsonSchema(),
  scenario: storyJsonSchema()
}
for (const [name, schema] of Object.entries(schemas)) {
  writeFileSync(`dist/${name}.schema.json`, `${JSON.stringify(schema, undefined, 2)}\n`)
}
