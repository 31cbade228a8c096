"""SQL Server's message texts, as far as the engine raises them (``sys.messages`` of the server, English)."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["MESSAGES", "Message"]


class Message(NamedTuple):
    """``text`` is a ``str.format`` template with positional fields."""

    severity: int
    state: int
    text: str


# Number, severity, usual state, text; a line that begins with a space continues the one above.
_TABLE = """
102 15 1 Incorrect syntax near '{}'.
103 15 4 The {} that starts with '{}' is too long. Maximum length is {}.
105 15 1 Unclosed quotation mark after the character string '{}'.
109 15 1 There are more columns in the INSERT statement than values specified in the VALUES clause. The
  number of values in the VALUES clause must match the number of columns specified in the INSERT statement.
110 15 1 There are fewer columns in the INSERT statement than values specified in the VALUES clause. The
  number of values in the VALUES clause must match the number of columns specified in the INSERT statement.
113 15 1 Missing end comment mark '*/'.
119 15 1 Must pass parameter number {} and subsequent parameters as '@name = value'. After the form '@name
  = value' has been used, all subsequent parameters must be passed in the form '@name = value'.
120 15 1 The select list for the INSERT statement contains fewer items than the insert list. The number of
  SELECT values must match the number of INSERT columns.
121 15 1 The select list for the INSERT statement contains more items than the insert list. The number of
  SELECT values must match the number of INSERT columns.
128 15 1 The name "{}" is not permitted in this context. Valid expressions are constants, constant
  expressions, and (in some contexts) variables. Column names are not permitted.
131 15 2 The size ({}) given to the {} '{}' exceeds the maximum allowed for any data type ({}).
134 15 2 The variable name '{}' has already been declared. Variable names must be unique within a query
  batch or stored procedure.
137 15 2 Must declare the scalar variable "{}".
145 15 1 ORDER BY items must appear in the select list if SELECT DISTINCT is specified.
155 15 1 '{}' is not a recognized {} option.
156 15 1 Incorrect syntax near the keyword '{}'.
174 15 1 The {} function requires {} argument(s).
189 15 1 The {} function requires {} to {} arguments.
195 15 10 '{}' is not a recognized {}.
201 16 4 Procedure or function '{}' expects parameter '{}', which was not supplied.
206 16 2 Operand type clash: {} is incompatible with {}
207 16 1 Invalid column name '{}'.
208 16 1 Invalid object name '{}'.
209 16 1 Ambiguous column name '{}'.
213 16 1 Column name or number of supplied values does not match table definition.
214 16 3 Procedure expects parameter '{}' of type '{}'.
217 16 1 Maximum stored procedure, function, trigger, or view nesting level exceeded (limit {}).
220 16 1 Arithmetic overflow error for data type {}, value = {}.
229 14 5 The {} permission was denied on the object '{}', database '{}', schema '{}'.
232 16 3 Arithmetic overflow error for type {}, value = {}.
241 16 1 Conversion failed when converting date and/or time from character string.
242 16 3 The conversion of a {} data type to a {} data type resulted in an out-of-range value.
243 16 1 Type {} is not a defined system type.
244 16 1 The conversion of the {} value '{}' overflowed an {} column. Use a larger integer column.
245 16 1 Conversion failed when converting the {} value '{}' to data type {}.
248 16 1 The conversion of the {} value '{}' overflowed an int column.
257 16 3 Implicit conversion from data type {} to {} is not allowed. Use the CONVERT function to run this
  query.
264 16 1 The column name '{}' is specified more than once in the SET clause or column list of an INSERT. A
  column cannot be assigned more than one value in the same clause. Modify the clause to make sure that a
  column is updated only once. If this statement updates or inserts columns into a view, column aliasing can
  conceal the duplication in your code.
266 16 2 Transaction count after EXECUTE indicates a mismatching number of BEGIN and COMMIT statements.
  Previous count = {}, current count = {}.
281 16 1 {} is not a valid style number when converting from {} to a character string.
289 16 1 Cannot construct data type {}, some of the arguments have values which are not valid.
291 16 1 CAST or CONVERT: invalid attributes specified for type '{}'
295 16 3 Conversion failed when converting character string to smalldatetime data type.
313 16 2 An insufficient number of arguments were supplied for the procedure or function {}.
352 16 1 The table-valued parameter "{}" must be declared with the READONLY option.
402 16 1 The data types {} and {} are incompatible in the {} operator.
403 16 1 Invalid operator for data type. Operator equals {}, type equals {}.
468 16 9 Cannot resolve the collation conflict between "{}" and "{}" in the {} operation.
506 16 1 The invalid escape character "{}" was specified in a {} predicate.
512 16 1 Subquery returned more than 1 value. This is not permitted when the subquery follows =, !=, <, <=
  , >, >= or when the subquery is used as an expression.
515 16 2 Cannot insert the value NULL into column '{}', table '{}'; column does not allow nulls. {} fails.
517 16 1 Adding a value to a '{}' column caused an overflow.
529 16 1 Explicit conversion from data type {} to {} is not allowed.
530 16 1 The statement terminated. The maximum recursion {} has been exhausted before statement
  completion.
535 16 0 The {} function resulted in an overflow. The number of dateparts separating two date/time
  instances is too large. Try to use {} with a less precise datepart.
536 16 1 Invalid length parameter passed to the {} function.
537 16 3 Invalid length parameter passed to the LEFT or SUBSTRING function.
544 16 1 Cannot insert explicit value for identity column in table '{}' when IDENTITY_INSERT is set to
  OFF.
545 16 1 Explicit value must be specified for identity column in table '{}' either when IDENTITY_INSERT is
  set to ON or when a replication user is inserting into a NOT FOR REPLICATION identity column.
547 16 0 The {} statement conflicted with the {} constraint "{}". The conflict occurred in database "{}",
  table "{}"{}.
628 16 0 Cannot issue SAVE TRANSACTION when there is no active transaction.
1001 15 1 Line {}: Length or precision specification {} is invalid.
1002 15 1 Line {}: Specified scale {} is invalid.
1087 15 2 Must declare the table variable "{}".
1205 13 51 Transaction (Process ID {}) was deadlocked on {} resources with another process and has been
  chosen as the deadlock victim. Rerun the transaction.
1222 16 51 Lock request time out period exceeded.
1505 16 1 The CREATE UNIQUE INDEX statement terminated because a duplicate key was found for the object
  name '{}' and the index name '{}'. The duplicate key value is {}.
1750 16 0 Could not create constraint or index. See previous errors.
1779 16 0 Table '{}' already has a primary key defined on it.
1781 16 1 Column already has a DEFAULT bound to it.
1913 16 1 The operation failed because an index or statistics with name '{}' already exists on {} '{}'.
2601 14 1 Cannot insert duplicate key row in object '{}' with unique index '{}'. The duplicate key value
  is {}.
2627 14 1 Violation of {} constraint '{}'. Cannot insert duplicate key in object '{}'. The duplicate key
  value is {}.
2628 16 1 String or binary data would be truncated in table '{}', column '{}'. Truncated value: '{}'.
2705 16 3 Column names in each table must be unique. Column name '{}' in table '{}' is specified more than
  once.
2714 16 6 There is already an object named '{}' in the database.
2715 16 6 Column, parameter, or variable #{}: Cannot find data type {}.
2717 16 2 The size ({}) given to the {} '{}' exceeds the maximum allowed ({}).
2732 16 1 Error number {} is invalid. The number must be from 13000 through 2147483647 and it cannot be
  50000.
2750 16 1 Column or parameter #{}: Specified column precision {} is greater than the maximum precision of
  38.
2751 16 1 Column or parameter #{}: Specified column scale {} is greater than the specified precision of
  {}.
2760 16 1 The specified schema name "{}" either does not exist or you do not have permission to use it.
2748 16 1 Cannot specify {} data type (parameter {}) as a substitution parameter.
2786 16 1 The data type of substitution parameter {} does not match the expected type of the format
  specification.
2787 16 1 Invalid format specification: '{}'.
2812 16 62 Could not find stored procedure '{}'.
3609 16 1 The transaction ended in the trigger. The batch has been aborted.
3621 10 0 The statement has been terminated.
3623 16 1 An invalid floating point operation occurred.
3701 11 5 Cannot {} the {} '{}', because it does not exist or you do not have permission.
3726 16 1 Could not drop object '{}' because it is referenced by a FOREIGN KEY constraint.
3728 16 1 '{}' is not a constraint.
3732 16 1 Cannot drop type '{}' because it is being referenced by object '{}'. There may be other objects
  that reference this type.
3902 16 1 The COMMIT TRANSACTION request has no corresponding BEGIN TRANSACTION.
3903 16 1 The ROLLBACK TRANSACTION request has no corresponding BEGIN TRANSACTION.
3908 16 1 Could not run BEGIN TRANSACTION in database '{}' because the database is in emergency mode or is
  damaged and must be restarted.
3915 16 0 Cannot use the ROLLBACK statement within an INSERT-EXEC statement.
3930 16 1 The current transaction cannot be committed and cannot support operations that write to the log
  file. Roll back the transaction.
3931 16 1 The current transaction cannot be committed and cannot be rolled back to a savepoint. Roll back
  the entire transaction.
3998 16 1 Uncommittable transaction is detected at the end of the batch. The transaction is rolled back.
4104 16 1 The multi-part identifier "{}" could not be bound.
4145 15 1 An expression of non-boolean type specified in a context where a condition is expected, near
  '{}'.
4902 16 1 Cannot find the object "{}" because it does not exist or you do not have permissions.
4924 16 1 {} failed because column '{}' does not exist in table '{}'.
6401 16 1 Cannot roll back {}. No transaction or savepoint of that name was found.
8101 16 1 An explicit value for the identity column in table '{}' can only be specified when a column list
  is used and IDENTITY_INSERT is ON.
8111 16 1 Cannot define PRIMARY KEY constraint on nullable column in table '{}'.
8114 16 5 Error converting data type {} to {}.
8115 16 2 Arithmetic overflow error converting {} to data type {}.
8116 16 1 Argument data type {} is invalid for argument {} of {} function.
8117 16 1 Operand data type {} is invalid for {} operator.
8120 16 1 Column '{}' is invalid in the select list because it is not contained in either an aggregate
  function or the GROUP BY clause.
8134 16 1 Divide by zero error encountered.
8144 16 2 Procedure or function {} has too many arguments specified.
8145 16 1 {} is not a parameter for procedure {}.
8146 16 2 Procedure {} has no parameters and arguments were supplied.
8152 16 14 String or binary data would be truncated.
8155 16 2 No column name was specified for column {} of '{}'.
8156 16 1 The column '{}' was specified multiple times for '{}'.
8158 16 1 '{}' has more columns than were specified in the column list.
8159 16 1 '{}' has fewer columns than were specified in the column list.
8162 16 2 The formal parameter "{}" was not declared as an OUTPUT parameter, but the actual parameter
  passed in requested output.
8169 16 2 Conversion failed when converting from a character string to uniqueidentifier.
8170 16 2 Insufficient result space to convert uniqueidentifier value to char.
8178 16 1 The parameterized query '{}' expects the parameter '{}', which was not supplied.
9806 16 1 The datepart {} is not supported by date function {}.
9812 16 1 The timezone provided to builtin function todatetimeoffset is invalid.
9828 16 1 The second and third arguments of the TRANSLATE built-in function must contain an equal number of
  characters.
9810 16 1 The datepart {} is not supported by date function {} for data type {}.
10700 16 1 The table-valued parameter "{}" is READONLY and cannot be modified.
10704 15 1 To rethrow an error, a THROW statement must be used inside a CATCH block.
10709 16 1 The number of columns for each row in a table value constructor must be the same.
13606 16 1 JSON text that has more than 128 nesting levels cannot be parsed.
13607 16 4 JSON path is not properly formatted. Unexpected character '{}' is found at position {}.
13608 16 5 Property cannot be found on the specified JSON path.
13609 16 4 JSON text is not properly formatted. Unexpected character '{}' is found at position {}.
13610 16 1 The argument {} of the "{}" must be a string literal.
13611 16 1 Value referenced by JSON path is not an array or object and cannot be opened with OPENJSON.
13612 16 1 Cannot convert a string value found in the JSON text to binary value because it is not Base64
  encoded.
13618 16 1 AS JSON option can be specified only for column of nvarchar(max) type in WITH clause.
13619 16 1 Unsupported JSON path found in argument {} of JSON_MODIFY.
13621 16 1 Array cannot be found in the specified JSON path.
13622 16 1 An invalid value was specified for argument {}.
13623 16 2 Scalar value cannot be found in the specified JSON path.
13624 16 2 Object or array cannot be found in the specified JSON path.
13625 16 1 String value in the specified JSON path would be truncated.
15023 16 1 User, group, or role '{}' already exists in the current database.
15135 16 1 Object is invalid. Extended properties are not permitted on '{}', or the object does not exist.
15151 16 1 Cannot {} the {} '{}', because it does not exist or you do not have permission.
15217 16 1 Property cannot be updated or deleted. Property '{}' does not exist for '{}'.
15233 16 1 Property cannot be added. Property '{}' already exists for '{}'.
35100 16 1 Error number {} in the THROW statement is outside the valid range. Specify an error number in
  the valid range of 50000 to 2147483647.
"""


def _read(table: str) -> dict[int, Message]:
    messages = {}
    for line in table.strip().replace("\n  ", " ").splitlines():
        number, severity, state, text = line.split(" ", 3)
        messages[int(number)] = Message(int(severity), int(state), text)
    return messages


#: Number → severity, usual state, text.
MESSAGES: dict[int, Message] = _read(_TABLE)
