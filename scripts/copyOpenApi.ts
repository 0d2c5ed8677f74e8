import { cpSync } from "node:fs"

// The compiler copies JSON, and these are compressed.
cpSync("src/generated/openapi", "dist/src/generated/openapi", { recursive: true })
