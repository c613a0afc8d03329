// Compiles the published JSON schema in Ajv's strict mode and checks configs against it, so that an
// implementation that is not ours agrees with it.
//
//   node build/check-schema.mjs SCHEMA < {"name": document, ...}
//
// Prints one line for each problem; exit code 0: the schema is sound and every document fits.
import { readFileSync } from "node:fs";
import Ajv2020 from "ajv/dist/2020.js";

const schema = JSON.parse(readFileSync(process.argv[2], "utf8"));
const documents = JSON.parse(readFileSync(0, "utf8"));

// Our formats (`note`, `keys`, ...) choose a form's widget and `discriminator` its picker; they
// assert nothing about a value.
// strictTypes off: next to `anyOf` a format has no type of its own.
const ajv = new Ajv2020({
  strict: true,
  strictTypes: false,
  validateFormats: false,
  allErrors: true,
});
ajv.addVocabulary(["discriminator"]);

const validate = ajv.compile(schema);
let problems = 0;
for (const [name, document] of Object.entries(documents)) {
  if (validate(document)) continue;
  for (const { instancePath, message } of validate.errors) {
    console.log(`${name}${instancePath}: ${message}`);
    problems += 1;
  }
}
console.log(`${Object.keys(documents).length} documents, ${problems} problems`);
process.exitCode = problems ? 1 : 0;
